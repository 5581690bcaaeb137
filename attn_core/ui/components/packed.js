// What packed.py made: its header, and all numbers in one array. Put before the file that uses it.
function unpacked(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const numbers = new Float32Array(bytes.slice(4 + length).buffer); // a copy, which begins at an even place
  return { ...JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))), numbers };
}

const inWords = value => String(+value.toPrecision(4));
