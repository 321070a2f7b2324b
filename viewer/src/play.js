// The page of `talus play`: shows the newest state of a session that computes, and sends what is done to it.

import { Controls } from './controls.js';
import { Grab } from './grab.js';
import { Inspector } from './inspector.js';
import { LiveFrames } from './live_frames.js';
import { makeModel } from './model.js';
import { Player } from './player.js';
import { PlayPanel } from './play_panel.js';
import { Plots } from './plots.js';
import { Session } from './session.js';
import { survey } from './survey.js';
import { Viewer } from './viewer.js';

const element = id => document.getElementById(id);

/** Bodies came or went: everything that knows their number starts anew. */
async function renew(session, viewer, frames, controls) {
  const model = makeModel(await session.model());
  frames.clear();
  viewer.setModel(model);
  controls.renew();
  return model;
}

async function firstState(session) {
  for (;;) {
    const state = await session.state();
    if (state) return state;
  }
}

export async function startPlay(notice) {
  const session = new Session(), options = new URLSearchParams(location.search), frames = new LiveFrames();
  let model = makeModel(await session.model());
  const sample = frames.add(await firstState(session), model.bodies);
  const findings = survey(model, [sample]);
  const weight = Math.hypot(...(model.gravity ?? [0])) * Math.max(...model.body_mass, 1e-9);
  if (findings.forceRange === 1) findings.forceRange = weight || 1; // nothing touches yet
  findings.speedRange = Math.max(findings.speedRange, 0.5 * Math.sqrt(findings.bounds.radius * 9.81));
  const viewer = new Viewer(element('scene'), model, frames, findings, [sample]);
  const player = Object.assign(new Player(frames), { live: true });
  const seek = time => { if (time !== null) { player.live = false; player.seek(time); } viewer.changed = true; };
  const plots = new Plots(element('plots'), model, seek, options.getAll('plot'));
  plots.expectsMore = true;
  const grab = new Grab(viewer, session);
  const controls = new Controls(viewer, player, plots, new Inspector(model), options);
  const panel = new PlayPanel(model, session, grab, findings.bodyRadius);
  session.onTrouble = text => panel.say(text);
  controls.playing = { session, panel };
  element('live').hidden = false;
  window.talus = { viewer, player, frames, plots, model, controls, session, grab };

  const follow = async () => {
    for (;;) {
      try {
        const state = await session.state();
        if (state && state.info.revision !== session.revision) model = await renew(session, viewer, frames, controls);
        if (state && state.position.length === 3 * model.bodies) {
          if (state.info.time < frames.end) plots.cutAfter(state.info.time);
          frames.add(state, model.bodies);
          if (state.info.row) plots.add(Object.fromEntries(Object.entries(state.info.row).map(([name, value]) => [name, [value ?? NaN]])));
          panel.update(state.info);
          viewer.changed = true;
        }
        notice(null);
      } catch (error) {
        notice(`The session does not answer any more (${error.message}).`);
        await new Promise(resolve => setTimeout(resolve, 2000));
      }
    }
  };
  notice(null);
  follow();
  return { viewer, player, frames, plots, controls, grab };
}
