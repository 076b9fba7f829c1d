export default function a() {}
export const b = 1;
export default a;
