// The format of apps/talus/data_package.h: named arrays in one block of bytes.

const types = { f64: Float64Array, f32: Float32Array, i32: Int32Array, u32: Uint32Array, i16: Int16Array };

/** The k-th bytes of all numbers lie together; puts each number's bytes side by side again. */
function unshuffled(bytes, size) {
  const count = bytes.length / size;
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
