let attempts = 0;
attempts += 1;
let attempts = 2;
export { attempts };
