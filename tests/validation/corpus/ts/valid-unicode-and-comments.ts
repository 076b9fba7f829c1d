/* generics <T extends { in a comment */
const naïve: string = "ünïcödé 🚀 }";
const 合計 = (値: readonly number[]): number => 値.reduce((a, b) => a + b, 0);
// const broken = {
type Emoji = "🎉" | "💥" | `${"a" | "b"}-${number}`;
// @ts-expect-error: shown only as an example }
export const e: Emoji = `a-${合計([1])}` as Emoji; export { naïve };
