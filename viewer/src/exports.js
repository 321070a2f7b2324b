// Saves what is shown: a PNG of the scene, or a WebM film of the run from start to end.

function save(blob, name) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const fileName = (title, extension) => `${title.replace(/[^\w-]+/g, '_') || 'talus'}.${extension}`;

export function savePicture(viewer) {
  viewer.draw();
  return new Promise(done => viewer.stage.canvas.toBlob(blob => { save(blob, fileName(viewer.model.title, 'png')); done(blob); }, 'image/png'));
}

const filmType = () => ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find(type => window.MediaRecorder?.isTypeSupported(type));
export const canFilm = () => Boolean(filmType()) && 'captureStream' in HTMLCanvasElement.prototype;

/** Plays the run once, at the chosen speed, while the browser films the canvas. */
export class Film {
  constructor(viewer, player, onEnd) { Object.assign(this, { viewer, player, onEnd, recorder: null }); }
  get running() { return this.recorder !== null; }

  start() {
    const { viewer, player } = this;
    const stream = viewer.stage.canvas.captureStream(30), parts = [];
    this.recorder = new MediaRecorder(stream, { mimeType: filmType(), videoBitsPerSecond: 8e6 });
    this.before = { loop: player.loop, time: player.time, live: player.live };
    this.recorder.ondataavailable = event => parts.push(event.data);
    this.recorder.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      this.recorder = null;
      const film = new Blob(parts, { type: 'video/webm' });
      save(film, fileName(viewer.model.title, 'webm'));
      this.onEnd(film);
    };
    Object.assign(player, { loop: false, live: false, playing: true });
    player.seek(player.frames.start);
    this.recorder.start(500);
  }

  /** To be called for every picture; ends with the run. */
  watch() { if (this.running && !this.player.playing) this.stop(); }
  stop() {
    if (this.recorder?.state !== 'recording') return;
    Object.assign(this.player, { loop: this.before.loop, live: this.before.live, playing: false });
    this.recorder.stop();
  }
}
