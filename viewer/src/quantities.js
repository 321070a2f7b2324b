// What can be plotted over time: columns of steps.csv and of sensors.csv, gathered into quantities with a unit.

const axes = ['x', 'y', 'z'];

/** Quantities of every run; those that stay 0 do not apply to it. `shifted`: only differences mean something. */
const ofRuns = [
  { name: 'energy', unit: 'J', curves: [{ name: 'kinetic', of: 'kinetic_energy' }, { name: 'potential', of: 'potential_energy', shifted: true },
    { name: 'elastic', of: 'elastic_energy' }] },
  { name: 'contacts', unit: '', curves: [{ name: '', of: 'contacts' }] },
  { name: 'support force', unit: 'N', curves: axes.map(axis => ({ name: axis, of: `support_${axis}` })) },
  { name: 'largest contact force', unit: 'N', curves: [{ name: '', of: 'max_contact_force' }] },
  { name: 'largest joint force', unit: 'N', curves: [{ name: '', of: 'max_joint_force' }] },
  { name: 'penetration', unit: 'm', curves: [{ name: '', of: 'max_penetration' }] },
  { name: 'error of the solve', unit: '', logarithmic: true, curves: [{ name: '', of: 'error' }] },
  { name: 'joint error', unit: 'm, rad', curves: [{ name: '', of: 'max_joint_error' }] },
  { name: 'momentum', unit: 'N s', curves: axes.map(axis => ({ name: axis, of: `momentum_${axis}` })) },
  { name: 'iterations', unit: '', curves: [{ name: '', of: 'iterations' }] },
  { name: 'time of the solve', unit: 's', curves: [{ name: '', of: 'seconds_solve' }] },
];

const lines = text => text ? text.split('\n').slice(0, -1) : [];

/** Columns "scale.force_x", "scale.force_y", ... with one unit become the quantity "scale: force". */
export function sensorQuantities(model) {
  const columns = lines(model.sensor_columns), units = lines(model.sensor_units), found = new Map();
  columns.forEach((column, i) => {
    const dot = column.lastIndexOf('.'), part = dot < 0 ? '' : column.slice(dot + 1), unit = units[i] ?? '';
    const known = /^(?:(force|torque)_([xyz])|([xyz])|([xyz]{2})|(kinetic|potential|elastic))$/.exec(part);
    const sensor = known ? column.slice(0, dot) : column;
    const name = known?.[1] ? `${sensor}: ${known[1]}` : sensor;
    const curve = known ? known[2] ?? known[3] ?? known[4] ?? known[5] : '';
    const key = `${name} ${unit}`;
    if (!found.has(key)) found.set(key, { name, unit, sensor: true, curves: [] });
    found.get(key).curves.push({ name: curve, of: `sensor:${column}`, shifted: curve === 'potential' });
  });
  // A stress has six components; two plots of three are legible.
  return [...found.values()].flatMap(q => q.curves.length <= 3 ? [q] : [
    { ...q, curves: q.curves.slice(0, 3) }, { ...q, name: `${q.name}, shear`, curves: q.curves.slice(3) }]);
}

const says = values => values?.some(value => Number.isFinite(value) && value !== 0);

/** Those that the series have something to say about, sensors first. */
export function available(model, series) {
  const sensors = sensorQuantities(model).filter(q => q.curves.some(curve => series[curve.of]));
  const runs = ofRuns.map(q => ({ ...q, curves: q.curves.filter(curve => says(series[curve.of])) })).filter(q => q.curves.length > 0 && !sensors.some(sensor => sensor.name === q.name));
  return [...sensors, ...runs];
}

/** What the panels show unless somebody chooses: two sensors, and the most telling of the run. */
export function chosenFirst(quantities, panels) {
  const sensors = quantities.filter(q => q.sensor), runs = quantities.filter(q => !q.sensor);
  const wanted = panels <= 2 ? 1 : 2;
  const first = sensors.slice(0, Math.max(wanted, panels - runs.length));
  const order = ['energy', 'contacts', 'support force', 'penetration', 'error of the solve'];
  const sorted = [...runs].sort((a, b) => (order.indexOf(a.name) + 20) % 20 - (order.indexOf(b.name) + 20) % 20);
  return [...first, ...sorted].slice(0, panels);
}
