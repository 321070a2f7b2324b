// Light, ground, camera.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import { Floor } from './floor.js';

const themes = {
  light: { background: '#e6eaee', ground: '#c3cad2', line: '#8d99a6', edge: '#1b222a', joint: '#2a3542', sky: 0.55, key: 2.6, environment: 0.4 },
  dark: { background: '#14181d', ground: '#1d232a', line: '#46525f', edge: '#05070a', joint: '#b4c0cc', sky: 0.35, key: 2.6, environment: 0.3 },
};

export const presets = ['iso', 'front', 'side', 'top'];

function isSoftware(renderer) {
  const context = renderer.getContext(), info = context.getExtension('WEBGL_debug_renderer_info');
  return info !== null && /swiftshader|llvmpipe|software/i.test(context.getParameter(info.UNMASKED_RENDERER_WEBGL));
}

export class Stage {
  constructor(canvas, model, bounds) {
    this.canvas = canvas;
    this.bounds = bounds;
    this.up = new THREE.Vector3(...model.up);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.VSMShadowMap;
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
    this.scene.add(this.floor.group);
    this.setPreset('iso');
  }

  addLights() {
    const { radius, centre } = this.bounds;
    const maker = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = maker.fromScene(new RoomEnvironment(), 0.04).texture;
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
    // Without a graphics card, shadows would take most of the time.
    const side = isSoftware(this.renderer) ? 1024 : 2048;
    this.key.shadow.mapSize.set(side, side);
    const reach = 1.25 * radius;
    Object.assign(this.key.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.2 * radius, far: 7 * radius });
    this.key.shadow.normalBias = 0.004 * radius;
    this.key.shadow.bias = -0.0002;
    this.key.shadow.radius = 6;
    this.key.shadow.blurSamples = isSoftware(this.renderer) ? 8 : 16;
    this.scene.add(this.sky, this.key, this.key.target);
    this.overlay.add(new THREE.AmbientLight('#ffffff', 1.4));
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
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)), wide = tall * (this.camera.aspect || 1) * (1 - (this.covered ?? 0));
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

  /** Moves camera and target along, as when following a body. */
  shift(vector) {
    this.camera.position.add(vector);
    this.controls.target.add(vector);
  }

  setTheme(name, bodies, joints) {
    const theme = themes[name];
    this.renderer.setClearColor(theme.background);
    this.sky.intensity = theme.sky;
    this.key.intensity = theme.key;
    this.scene.environmentIntensity = theme.environment;
    this.floor.setColours(theme.ground, theme.line);
    for (const line of bodies.lines) line.material.color.set(theme.edge);
    joints.setColour(theme.joint);
  }

  /** `covered`: pixels on the right that the panel hides; the middle of the picture moves to the left. */
  resize(width, height, ratio = Math.min(window.devicePixelRatio, 2), covered = 0) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.covered = covered / width;
    if (covered > 0) this.camera.setViewOffset(width, height, covered / 2, 0, width, height);
    else this.camera.clearViewOffset();
    this.camera.updateProjectionMatrix();
  }

  /** Returns whether the camera is still moving. */
  update() { return this.controls.update(); }

  draw() {
    this.renderer.clear();
    this.renderer.render(this.scene, this.camera);
    this.renderer.clearDepth();
    this.renderer.render(this.overlay, this.camera);
  }
}
