export const version = {
  major: 2,
<<<<<<< HEAD
  minor: 4,
=======
  minor: 5,
>>>>>>> feature/bump
};
