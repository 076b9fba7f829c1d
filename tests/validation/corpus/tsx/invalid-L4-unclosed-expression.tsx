export const Name = ({ user }: { user: { name: string } }) => (
  <p>
    Hello {user.name
  </p>
);
