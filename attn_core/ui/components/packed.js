// What packed.py made: its header, in which each of `numbers` has its codes. Put before the file that uses it.
const BLANK = 65535;

function unpacked(bytes) {
  const whole = bytes.slice(), length = new DataView(whole.buffer).getUint32(0, true); // a copy, which begins at an even place
  const header = JSON.parse(new TextDecoder().decode(whole.subarray(4, 4 + length)));
  let at = 4 + length;
  for (const each of header.numbers) {
    each.codes = new Uint16Array(whole.buffer, at, each.length);
    at += each.codes.byteLength;
  }
  return header;
}

// A number with so many digits after the point, never -0.
const unsigned = (value, digits) => (Number(value.toFixed(digits)) + 0).toFixed(digits);
