export interface ChromiumProcess {
  close(): Promise<void>;
}

export interface FrameTimes {
  readonly intervalMs: number;
  readonly workMs: number;
}

export function findChromium(): string | undefined;
export function startChromium(executablePath: string): Promise<ChromiumProcess>;

export class BrowserPage {
  static open(
    browser: ChromiumProcess,
    viewport?: { readonly width: number; readonly height: number },
  ): Promise<BrowserPage>;
  readonly troubles: readonly string[];
  readonly requests: readonly string[];
  readonly address: string;
  close(): Promise<void>;
  visit(address: string): Promise<void>;
  firstPictureMs(): Promise<number>;
  waitForTiles(count: number): Promise<number>;
  workMs(): Promise<number>;
  countUpdates(): Promise<number>;
  waitForUpdates(count: number): Promise<void>;
  measureFrames(frames: number): Promise<FrameTimes>;
  measureScrolling(frames: number): Promise<FrameTimes>;
  audit(): Promise<readonly string[]>;
  setColors(scheme: 'light' | 'dark'): Promise<void>;
  setTime(ms: number): Promise<void>;
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  click(selector: string, at?: number): Promise<void>;
  select(name: string, value: string): Promise<void>;
  hover(selector: string, position: { readonly x: number; readonly y: number }): Promise<void>;
  count(selector: string): Promise<number>;
  fill(selector: string, text: string): Promise<void>;
  clickButton(name: string): Promise<void>;
  attributeOf(selector: string, name: string): Promise<string | null>;
  colorOf(selector: string): Promise<string>;
  title(): Promise<string>;
  overflow(): Promise<number>;
  brokenWords(selector: string): Promise<readonly string[]>;
  textOf(selector: string): Promise<string>;
  scrolled(selector: string): Promise<number>;
  scroll(selector: string, pixels: number): Promise<void>;
  focused(): Promise<string>;
  waitForText(selector: string, start: string): Promise<void>;
  waitForWords(selector: string, text: string): Promise<void>;
  waitForAbsence(selector: string): Promise<void>;
  waitFor(selector: string, state?: 'visible' | 'attached'): Promise<void>;
  waitForValue(selector: string, text: string): Promise<void>;
  forgiveOutage(): void;
  scrollTo(selector: string): Promise<void>;
  savePicture(path: string): Promise<void>;
}
