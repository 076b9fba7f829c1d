const label: string = "Save;
export const Save = () => <button>{label}</button>;
export default Save;
