// The page: opens the run, connects controls and viewer, draws when something has changed.

import { Compass } from './compass.js';
import { Controls } from './controls.js';
import { FrameStore } from './frames.js';
import { Inspector } from './inspector.js';
import { makeModel } from './model.js';
import { startPlay } from './play.js';
import { Player } from './player.js';
import { Plots } from './plots.js';
import { renderPictures } from './pictures.js';
import { openSource } from './source.js';
import { survey } from './survey.js';
import { Viewer } from './viewer.js';

const element = id => document.getElementById(id);

function notice(text) {
  element('notice').textContent = text ?? '';
  element('notice').hidden = !text;
}

/** Waits for some frames from all over the run. */
async function sampleFrames(frames, source, wanted) {
  const last = frames.count - 1;
  const picks = [...new Set(Array.from({ length: wanted }, (_, k) => Math.round((last * k) / Math.max(1, wanted - 1))))];
  const parts = new Set(picks.map(index => Math.floor(index / source.framesPerPart)));
  for (const part of parts) { frames.load(part, true); await frames.pending.get(part); }
  return picks.map(index => frames.get(index)).filter(Boolean);
}

/** Asks now and then whether the run has grown. */
function followGrowth(source, frames, plots, player, onGrowth) {
  let growing = null;
  const ask = async () => {
    let pause = 2000;
    try {
      const extent = await source.extent();
      element('live').hidden = !extent.growing;
      if (!extent.growing) player.live = false;
      pause = extent.growing ? 250 : 2000;
      const moreFrames = extent.frames > frames.count, moreSteps = extent.steps > plots.series.time.length;
      if (moreFrames) frames.addTimes((await source.times(frames.count)).times);
      if (moreSteps) plots.add(await source.steps(plots.series.time.length));
      if (moreFrames || moreSteps || extent.growing !== growing) onGrowth();
      growing = extent.growing;
      notice(null);
    } catch (error) {
      notice(`The server does not answer any more (${error.message}).`);
      pause = 3000;
    }
    setTimeout(ask, pause);
  };
  ask();
}

/** Draws when something has changed. */
function drawAlways({ viewer, player, frames, plots, controls, grab }) {
  let shownTime = null;
  const compass = new Compass(element('compass'));
  const draw = now => {
    requestAnimationFrame(draw);
    if (controls.tools.gif.running) return; // it draws by itself
    player.advance(now, time => viewer.around(time) !== null);
    const cameraMoves = viewer.stage.update();
    if (viewer.trails.waiting) viewer.trails.update();
    if (!cameraMoves && !viewer.changed && shownTime === player.time && !controls.tools.film.running) return;
    const frame = viewer.show(player.time);
    if (!frame) return;
    shownTime = player.time;
    grab?.update();
    controls.update(frame);
    viewer.draw();
    controls.tools.film.watch();
    compass.draw(viewer.stage.camera, controls.theme);
    plots.setRange(frames.start, frames.end);
    plots.draw(player.time);
    document.documentElement.dataset.ready = 'true';
  };
  requestAnimationFrame(draw);
}

async function start() {
  if (document.getElementById('talus-play')) return drawAlways(await startPlay(notice));
  const source = openSource();
  const options = new URLSearchParams(location.search);
  const model = makeModel(await source.open());
  let viewer = null;
  const frames = new FrameStore(source, model.bodies, () => { if (viewer) viewer.changed = true; }, error => notice(error.message));
  const extent = await source.extent();
  frames.addTimes((await source.times(0)).times);
  const samples = await sampleFrames(frames, source, model.bodies > 20000 ? 2 : 7);
  const findings = survey(model, samples);
  viewer = new Viewer(element('scene'), model, frames, findings, samples);
  const player = new Player(frames);
  player.live = extent.growing;
  const seek = time => {
    if (time !== null) { player.live = false; player.seek(time); }
    viewer.changed = true;
  };
  const plots = new Plots(element('plots'), model, seek, options.getAll('plot'));
  plots.add(await source.steps(0));
  const inspector = new Inspector(model);
  const controls = new Controls(viewer, player, plots, inspector, options);
  window.talus = { viewer, player, frames, plots, model, controls }; // for tests and the curious

  if (options.has('render')) return renderPictures(options, viewer, controls);
  if (source.canGrow) followGrowth(source, frames, plots, player, () => { viewer.changed = true; });
  notice(null);

  drawAlways({ viewer, player, frames, plots, controls });
}

notice('Loading …');
start().catch(error => {
  console.error(error);
  notice(`This run cannot be shown: ${error.message}`);
});
