// Saves what is shown: a PNG of the scene, or the run from start to end as a GIF, WebM or MP4. Time, scales and the grid
// are written on them.

import { Gif, paletteOf } from './gif.js';
import { labelled } from './labels.js';

function save(blob, name) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const fileName = (title, extension) => `${title.replace(/[^\w-]+/g, '_') || 'talus'}.${extension}`;

export function savePicture(viewer, labels) {
  viewer.draw();
  const picture = labelled(viewer.stage.canvas, labels());
  return new Promise(done => picture.toBlob(blob => { save(blob, fileName(viewer.model.title, 'png')); done(blob); }, 'image/png'));
}

const filmTypes = {
  webm: ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'],
  mp4: ['video/mp4;codecs=avc1.640028', 'video/mp4;codecs=avc1.42E01E', 'video/mp4;codecs=vp9', 'video/mp4;codecs=av01'],
};
const filmType = kind => filmTypes[kind].find(type => window.MediaRecorder?.isTypeSupported(type));
/** Whether this browser makes films of a kind: webm or mp4. */
export const canFilm = kind => Boolean(filmType(kind)) && 'captureStream' in HTMLCanvasElement.prototype;

/** Plays the run once, at the chosen speed, while the browser films it. */
export class Film {
  /** `labels(time)`: what is written on the pictures. */
  constructor(viewer, player, labels, onEnd) { Object.assign(this, { viewer, player, labels, onEnd, recorder: null }); }
  get running() { return this.recorder !== null; }

  start(kind) {
    const { viewer, player } = this, parts = [], canvas = document.createElement('canvas');
    this.picture = labelled(viewer.stage.canvas, this.labels(player.time), canvas);
    const stream = canvas.captureStream(30);
    this.recorder = new MediaRecorder(stream, { mimeType: filmType(kind), videoBitsPerSecond: 8e6 });
    this.before = { loop: player.loop, time: player.time, live: player.live };
    this.recorder.ondataavailable = event => parts.push(event.data);
    this.recorder.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      this.recorder = null;
      const film = new Blob(parts, { type: `video/${kind}` });
      save(film, fileName(viewer.model.title, kind));
      this.onEnd(film);
    };
    Object.assign(player, { loop: false, live: false });
    player.seek(player.frames.start);
    this.phase = 'beginning';
    this.recorder.onstart = () => { this.phase = 'playing'; player.playing = true; };
    this.recorder.start(500);
  }

  /** To be called when a picture has been drawn; ends with the run, and half a second of its last picture: a slow machine
   * may draw only two pictures of a short run, which would leave the encoder without any. */
  watch() {
    if (!this.running) return;
    labelled(this.viewer.stage.canvas, this.labels(this.player.time), this.picture);
    if (this.phase === 'playing' && !this.player.playing) {
      this.phase = 'ending';
      const { recorder } = this;
      setTimeout(() => { if (this.recorder === recorder) this.stop(); }, 500);
    }
  }
  stop() {
    if (this.recorder?.state !== 'recording') return;
    Object.assign(this.player, { loop: this.before.loop, live: this.before.live, playing: false });
    this.recorder.stop();
  }
}

const gifDelay = 6, mostPictures = 300, gifWidth = 640;

/** Draws the run at even times, however long a picture takes, and writes them as a GIF. */
export class GifExport {
  constructor(viewer, player, labels, onProgress, onEnd) { Object.assign(this, { viewer, player, labels, onProgress, onEnd, running: false }); }

  stop() { this.wanted = false; }

  async pictureAt(time, context) {
    const { viewer } = this;
    for (let wait = 0; !viewer.show(time) && wait < 500; wait++) await new Promise(resolve => setTimeout(resolve, 20));
    viewer.stage.update();
    viewer.draw();
    const { width, height } = context.canvas;
    context.drawImage(labelled(viewer.stage.canvas, this.labels(time), this.scratch), 0, 0, width, height);
    return context.getImageData(0, 0, width, height).data;
  }

  async start() {
    const { viewer, player } = this, { start, end } = player.frames, scene = viewer.stage.canvas;
    Object.assign(this, { running: true, wanted: true, scratch: document.createElement('canvas') });
    player.playing = player.live = false;
    const scale = Math.min(1, gifWidth / scene.width), canvas = document.createElement('canvas');
    Object.assign(canvas, { width: Math.round(scale * scene.width), height: Math.round(scale * scene.height) });
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.imageSmoothingQuality = 'high';
    const step = Math.max((gifDelay / 100) * player.speed, (end - start) / mostPictures), count = Math.floor((end - start) / step) + 1;
    try {
      const samples = [];
      for (const share of [0, 0.35, 0.7, 1]) samples.push(await this.pictureAt(start + share * (end - start), context));
      const gif = new Gif(canvas.width, canvas.height, gifDelay, paletteOf(samples));
      for (let k = 0; k < count && this.wanted; k++) {
        gif.add(await this.pictureAt(start + k * step, context));
        this.onProgress((k + 1) / count);
        await new Promise(resolve => setTimeout(resolve));
      }
      const blob = this.wanted ? gif.blob() : null;
      if (blob) save(blob, fileName(viewer.model.title, 'gif'));
      this.onEnd(blob);
    } finally {
      this.running = false;
      viewer.changed = true;
    }
  }
}
