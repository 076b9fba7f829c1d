export const Name = ({ user }) => (
  <p>
    Hello {user.name}}
  </p>
);
