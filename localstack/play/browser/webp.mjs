// Makes an animated WebP from frames. Chromium encodes the difference between two frames as a picture. The container is
// described at https://developers.google.com/speed/webp/docs/riff_container.

/** Returns the file. A frame is { png: base64, mark: { x, y, pressed }, duration: ms }; the page is an empty one. */
export async function animation(page, { width, height }, frames, quality) {
  await page.evaluate(begin, { width, height, quality });
  const chunks = [];
  for (const { png, mark, duration } of frames) {
    const change = await page.evaluate(([png, mark]) => globalThis.encode(png, mark), [png, mark]);
    if (change === null) {
      chunks.at(-1).duration += duration;
      continue;
    }
    chunks.push({ ...change, duration, data: pictureIn(Buffer.from(change.webp, "base64")) });
  }
  const canvas = Buffer.concat([Buffer.from([0x12, 0, 0, 0]), uint24(width - 1), uint24(height - 1)]);
  const body = Buffer.concat([
    Buffer.from("WEBP"),
    chunk("VP8X", canvas),
    chunk("ANIM", Buffer.alloc(6)), // no background; repeated for ever
    ...chunks.map(({ x, y, width, height, duration, data }) =>
      chunk("ANMF", Buffer.concat([...[x / 2, y / 2, width - 1, height - 1, duration].map(uint24), Buffer.from([0]), data])),
    ),
  ]);
  const file = chunk("RIFF", body);
  await page.evaluate(async (webp) => {
    const image = new Image();
    image.src = `data:image/webp;base64,${webp}`;
    await image.decode(); // it fails if the file is not a picture
  }, file.toString("base64"));
  return file;
}

/** Returns the chunks of a still WebP that have the picture, without the header and the colour profile. */
function pictureIn(file) {
  const kept = [];
  let at = 12; // after RIFF, size, WEBP
  while (at < file.length) {
    const end = at + 8 + file.readUInt32LE(at + 4);
    const next = end + (end % 2);
    if (["ALPH", "VP8 ", "VP8L"].includes(file.toString("latin1", at, at + 4))) kept.push(file.subarray(at, next));
    at = next;
  }
  return Buffer.concat(kept);
}

function uint24(value) {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}

function chunk(name, content) {
  const head = Buffer.alloc(8, name);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/**
 * Runs in the page: makes globalThis.encode, which returns the picture of the difference to the frame before, or null
 * if there is no difference.
 */
function begin({ width, height, quality }) {
  const canvas = new OffscreenCanvas(width, height).getContext("2d", { alpha: false, willReadFrequently: true });
  let before = null;
  let painted = { png: null, picture: null };

  globalThis.encode = async (png, mark) => {
    if (painted.png !== png) {
      const blob = await (await fetch(`data:image/png;base64,${png}`)).blob();
      painted = { png, picture: await createImageBitmap(blob) };
    }
    canvas.drawImage(painted.picture, 0, 0);
    pointer(mark);
    const now = canvas.getImageData(0, 0, width, height);
    const then = before;
    before = new Uint32Array(now.data.buffer.slice(0));
    const box = change(new Uint32Array(now.data.buffer), then);
    if (box === null) return null;
    const part = new OffscreenCanvas(box.width, box.height);
    part.getContext("2d").putImageData(now, -box.x, -box.y);
    const bytes = new Uint8Array(await (await part.convertToBlob({ type: "image/webp", quality })).arrayBuffer());
    return { ...box, webp: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
  };

  function pointer({ x, y, pressed }) {
    canvas.save();
    canvas.translate(x, y);
    if (pressed) {
      canvas.beginPath();
      canvas.arc(0, 0, 16, 0, 2 * Math.PI);
      canvas.fillStyle = "rgb(201 135 18 / 45%)";
      canvas.fill();
    }
    const arrow = new Path2D("M0 0V18.5L4.6 14.4 7.6 21 11 19.5 8.1 13.1H14.2Z");
    canvas.fillStyle = "#fff";
    canvas.strokeStyle = "#35211a";
    canvas.lineWidth = 1.5;
    canvas.fill(arrow);
    canvas.stroke(arrow);
    canvas.restore();
  }

  /**
   * Keeps only the difference, and returns the smallest box around the difference. The box's corner is at even numbers,
   * as the format requires.
   */
  function change(now, then) {
    if (then === null) return { x: 0, y: 0, width, height };
    let [left, top, right, bottom] = [width, height, -1, -1];
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (now[y * width + x] !== then[y * width + x]) {
          [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), y];
        } else now[y * width + x] = 0;
      }
    }
    if (right < 0) return null;
    [left, top] = [left & ~1, top & ~1];
    return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  }
}
