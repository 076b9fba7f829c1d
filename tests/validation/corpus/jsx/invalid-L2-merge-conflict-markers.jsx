export const App = () => (
<<<<<<< HEAD
  <h1>One</h1>
=======
  <h1>Two</h1>
>>>>>>> main
);
