// Distance between two picked points. The points move with their bodies.

import * as THREE from 'three';
import { turned } from './model.js';
import { shortNumber, shortVector } from './numbers.js';

export class Measure {
  constructor(scene, radius, label) {
    Object.assign(this, { label, on: false, points: [] });
    this.group = new THREE.Group();
    const material = new THREE.MeshBasicMaterial({ color: '#d40a6a' });
    this.dots = [0, 1].map(() => new THREE.Mesh(new THREE.SphereGeometry(radius, 16, 12), material));
    this.line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), new THREE.LineBasicMaterial({ color: '#d40a6a' }));
    this.line.frustumCulled = false;
    this.group.add(...this.dots, this.line);
    scene.add(this.group);
    this.update(() => null);
  }

  start(on) { this.on = on; this.points = []; }

  /** A point in the frame of the body it was picked on. */
  add(body, local) {
    if (this.points.length === 2) this.points = [];
    this.points.push({ body, local });
  }

  /** Returns the distance, or null before there are two points. */
  update(poseOf) {
    const places = this.points.map(({ body, local }) => {
      const pose = poseOf(body);
      return new THREE.Vector3(...turned(pose.rotation, local).map((x, k) => x + pose.position[k]));
    });
    this.dots.forEach((dot, i) => { dot.visible = i < places.length; if (places[i]) dot.position.copy(places[i]); });
    this.line.visible = places.length === 2;
    this.distance = places.length === 2 ? places[0].distanceTo(places[1]) : null;
    if (places.length === 2) {
      this.line.geometry.setFromPoints(places);
      const apart = shortVector(places[1].clone().sub(places[0]).toArray());
      this.say(`${shortNumber(this.distance)} m  (${apart.join(', ')})`);
    } else this.say(this.on ? ['pick the first point', 'pick the second point'][places.length] : '');
    return this.distance;
  }
  say(text) {
    if (this.label.textContent !== text) this.label.textContent = text;
    this.label.hidden = text === '';
  }
}
