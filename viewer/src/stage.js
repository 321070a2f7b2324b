// Light, ground, camera.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import { Backdrop } from './backdrop.js';
import { Floor } from './floor.js';
import { Shade } from './shade.js';

const themes = {
  light: { top: '#dbe3ea', bottom: '#f3f5f6', ground: '#d3d8dd', line: '#7f8b98', edge: '#1b222a', joint: '#39444f', motor: '#b4308f', sky: 0.75, key: 2.3, environment: 0.5 },
  dark: { top: '#0c0f13', bottom: '#1d232a', ground: '#2a313a', line: '#66727f', edge: '#05070a', joint: '#c3cdd6', motor: '#f07fd0', sky: 0.4, key: 2.5, environment: 0.32 },
};

export const presets = ['iso', 'front', 'side', 'top'];

/** Whether the processor draws, for want of a graphics card. */
function drawnBySoftware() {
  const context = document.createElement('canvas').getContext('webgl2'), info = context?.getExtension('WEBGL_debug_renderer_info');
  return Boolean(info) && /swiftshader|llvmpipe|software/i.test(context.getParameter(info.UNMASKED_RENDERER_WEBGL));
}

export class Stage {
  /** `detail`: about how large bodies are; shade reaches a little beyond. */
  constructor(canvas, model, bounds, detail) {
    this.canvas = canvas;
    this.bounds = bounds;
    this.up = new THREE.Vector3(...model.up);
    this.isSoftware = drawnBySoftware();
    // Smooth edges cost software most of its time; pictures for `talus render` may take it.
    const smooth = !this.isSoftware || new URLSearchParams(location.search).has('render');
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: smooth, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.VSMShadowMap;
    this.renderer.shadowMap.autoUpdate = false; // only when bodies have moved
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.autoClear = false;
    this.scene = new THREE.Scene();
    this.overlay = new THREE.Scene(); // drawn over the scene: forces, joints
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01 * bounds.radius, 400 * bounds.radius);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxDistance = 60 * bounds.radius;
    this.addLights();
    this.floor = new Floor(bounds, this.up);
    this.backdrop = new Backdrop();
    this.scene.add(this.floor.group, this.backdrop.mesh);
    this.shade = new Shade(this.renderer, Math.min(Math.max(2.2 * detail, 0.04 * bounds.radius), 0.07 * bounds.radius));
    this.shaded = !this.isSoftware;
    this.setPreset('iso');
  }

  addLights() {
    const { radius, centre } = this.bounds;
    const maker = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = maker.fromScene(new RoomEnvironment(), 0.04, 0.1, 100, { size: this.isSoftware ? 64 : 256 }).texture;
    this.scene.environmentRotation.set(Math.PI / 2, 0, 0);
    this.overlay.environment = this.scene.environment;
    this.sky = new THREE.HemisphereLight('#ffffff', '#b9b2a6', 1);
    this.sky.position.copy(this.up);
    this.key = new THREE.DirectionalLight('#fff4e6', 2);
    const [right, front] = this.axes();
    this.key.position.copy(centre).addScaledVector(this.up, 2.6 * radius)
      .addScaledVector(right, 1.1 * radius).addScaledVector(front, 1.4 * radius);
    this.key.target.position.copy(centre);
    this.key.castShadow = true;
    const reach = 1.25 * radius;
    Object.assign(this.key.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.2 * radius, far: 7 * radius });
    this.key.shadow.normalBias = 0.004 * radius;
    this.key.shadow.bias = -0.0002;
    this.setShadows(this.isSoftware ? 512 : 2048);
    this.scene.add(this.sky, this.key, this.key.target);
    this.overlay.add(new THREE.AmbientLight('#ffffff', 1.4));
  }

  /** Without a graphics card, fine shadows would take most of the time. `side`: of their map, in texels. */
  setShadows(side) {
    const { shadow } = this.key;
    shadow.mapSize.set(side, side);
    shadow.radius = Math.max(2, side / 340);
    shadow.blurSamples = side > 1500 ? 16 : side > 800 ? 10 : 6;
    for (const part of ['map', 'mapPass']) { shadow[part]?.dispose(); shadow[part] = null; }
    this.renewShadows();
  }

  /** Two horizontal directions: to the right of the front view, and towards its viewer. */
  axes() {
    const side = Math.abs(this.up.x) > 0.9 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
    return [side, side.clone().cross(this.up).normalize()];
  }

  setPreset(name) {
    const [side, front] = this.axes();
    const direction = {
      iso: front.clone().addScaledVector(side, 0.55).addScaledVector(this.up, 0.36), front: front.clone().addScaledVector(this.up, 0.06),
      side: side.clone().addScaledVector(this.up, 0.06), top: this.up.clone().addScaledVector(front, 0.001),
    }[name];
    this.controls.target.copy(this.bounds.centre);
    this.camera.position.copy(this.bounds.centre).addScaledVector(direction.normalize(), this.distanceToFit(direction));
    this.controls.update();
  }

  /** From where all corners of the bounds are in the picture, looking against `direction`. */
  distanceToFit(direction) {
    const half = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)), { wide: hiddenWide = 0, tall: hiddenTall = 0 } = this.covered ?? {};
    const tall = half * (1 - hiddenTall), wide = half * (this.camera.aspect || 1) * (1 - hiddenWide);
    const right = this.up.clone().cross(direction).normalize(), upward = direction.clone().cross(right);
    const { box, centre } = this.bounds;
    let distance = 0;
    for (const x of [box.min.x, box.max.x]) for (const y of [box.min.y, box.max.y]) for (const z of [box.min.z, box.max.z]) {
      const corner = new THREE.Vector3(x, y, z).sub(centre);
      const needed = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(upward)) / tall);
      distance = Math.max(distance, 1.12 * needed + corner.dot(direction));
    }
    return distance;
  }

  /** Brings the camera closer, by a factor. */
  zoom(factor) {
    this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    this.controls.update();
  }
  /** Turns the camera about the vertical through its target, in degrees. */
  turn(angle) {
    this.camera.position.sub(this.controls.target).applyAxisAngle(this.up, (angle * Math.PI) / 180).add(this.controls.target);
    this.controls.update();
  }

  /** Moves camera and target along, as when following a body. */
  shift(vector) {
    this.camera.position.add(vector);
    this.controls.target.add(vector);
  }

  setTheme(name, bodies, joints) {
    const theme = themes[name];
    this.backdrop.setColours(theme.top, theme.bottom);
    this.sky.intensity = theme.sky;
    this.key.intensity = theme.key;
    this.scene.environmentIntensity = theme.environment;
    this.floor.setColours(theme.ground, theme.line);
    for (const line of bodies.lines) line.material.color.set(theme.edge);
    joints.setColours(theme.joint, theme.motor);
  }

  /** `covered`: pixels that the panel hides on the right, or at the foot; the middle of the picture moves away from it. */
  resize(width, height, ratio = Math.min(window.devicePixelRatio, 2), covered = { right: 0, foot: 0 }) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.covered = { wide: covered.right / width, tall: covered.foot / height };
    if (covered.right + covered.foot > 0) this.camera.setViewOffset(width, height, covered.right / 2, covered.foot / 2, width, height);
    else this.camera.clearViewOffset();
    this.camera.updateProjectionMatrix();
  }

  /** Bodies have moved: their shadows are drawn anew. */
  renewShadows() { this.renderer.shadowMap.needsUpdate = true; }

  /** Returns whether the camera is still moving. */
  update() { return this.controls.update(); }

  /** Depths are the finer, the farther away the nearest thing is that can be drawn. */
  fitDepths() {
    const { camera } = this, near = Math.max(0.02 * camera.position.distanceTo(this.controls.target), 1e-4 * this.bounds.radius);
    if (near === camera.near) return;
    camera.near = near;
    camera.updateProjectionMatrix();
  }

  draw() {
    this.fitDepths();
    if (this.shaded) this.shade.draw(this.scene, this.camera);
    else {
      this.renderer.clear();
      this.renderer.render(this.scene, this.camera);
    }
    this.renderer.clearDepth();
    this.renderer.render(this.overlay, this.camera);
  }
}
