/** Frames of an event stream (Server-Sent Events), out of pieces that break anywhere. */

export interface Frame {
  event: string;
  data: string;
  id: string | undefined;
}

const LARGEST_FRAME = 4 * 1_048_576;

export class FrameReader {
  #rest = "";
  #frame: Partial<Frame> = {};
  readonly #decoder = new TextDecoder();

  /** The frames that this piece completes. Throws a RangeError for one that is too large. */
  *read(piece: Uint8Array): Generator<Frame, void> {
    const text = this.#rest + this.#decoder.decode(piece, { stream: true });
    // A CR at the end may be half of a line break.
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? "") + text.slice(whole.length);
    for (const line of lines) {
      const frame = this.#line(line);
      if (frame) {
        yield frame;
      }
    }
    if (this.#rest.length + (this.#frame.data?.length ?? 0) > LARGEST_FRAME) {
      throw new RangeError(`an event is larger than ${LARGEST_FRAME} characters`);
    }
  }

  #line(line: string): Frame | undefined {
    if (line === "") {
      const { event = "message", data = "", id } = this.#frame;
      this.#frame = {};
      return data === "" && id === undefined ? undefined : { event, data, id };
    }
    const [name, value] = fieldOf(line);
    if (name === "data") {
      this.#frame.data = this.#frame.data === undefined ? value : `${this.#frame.data}\n${value}`;
    } else if (name === "event" || name === "id") {
      this.#frame[name] = value;
    }
    return undefined;
  }
}

/** A comment has an empty name. */
function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}
