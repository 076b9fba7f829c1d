interface Props {
  title: string;

export const Title = ({ title }: Props) => <h1>{title}</h1>;
