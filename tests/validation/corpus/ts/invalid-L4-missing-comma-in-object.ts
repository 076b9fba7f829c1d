export const config = {
  retries: 3,
  timeout: 1_000
  verbose: false,
};
