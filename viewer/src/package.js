// The format of apps/talus/data_package.h: named arrays in one block of bytes.

const types = { f64: Float64Array, f32: Float32Array, i32: Int32Array, u32: Uint32Array, i16: Int16Array };
const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** The k-th bytes of all numbers lie together; puts each number's bytes side by side again. */
function unshuffled(bytes, size) {
  const count = bytes.length / size;
  if (size === 4 && isLittleEndian) {
    // Nearly all numbers of a run; writing whole words is much faster than writing bytes.
    const words = new Uint32Array(count);
    for (let i = 0, b = count, c = 2 * count, d = 3 * count; i < count; i++, b++, c++, d++)
      words[i] = bytes[i] | (bytes[b] << 8) | (bytes[c] << 16) | (bytes[d] << 24);
    return words.buffer;
  }
  const result = new Uint8Array(bytes.length);
  for (let k = 0; k < size; k++)
    for (let i = 0, from = k * count; i < count; i++) result[i * size + k] = bytes[from + i];
  return result.buffer;
}

/** Sections by name: typed arrays, and strings for texts. */
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const sections = {};
  for (const { name, type, offset, length: count } of header.sections) {
    const start = 4 + length + offset;
    if (type === 'text') {
      sections[name] = new TextDecoder().decode(new Uint8Array(buffer, start, count));
    } else {
      const Numbers = types[type], size = Numbers.BYTES_PER_ELEMENT;
      sections[name] = header.shuffled
        ? new Numbers(unshuffled(new Uint8Array(buffer, start, count * size), size))
        : new Numbers(buffer, start, count);
    }
  }
  return sections;
}

/** From the base64 text of a page that carries its data. */
export async function unpackEmbedded(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return unpack(await new Response(inflated).arrayBuffer());
}

export async function fetched(address, options) {
  const response = await fetch(address, options);
  if (!response.ok) throw new Error((await response.text()).trim() || `the server answers ${response.status}`);
  return response;
}
export const fetchPackage = async address => unpack(await (await fetched(address)).arrayBuffer());
