import { type ComponentPropsWithRef, type ElementType } from "react";

type Poly<E extends ElementType> = { as?: E } & Omit<ComponentPropsWithRef<E>, "as">;

export function Text<E extends ElementType = "span">({ as, ...rest }: Poly<E>) {
  const Tag = (as ?? "span") as ElementType;
  return <Tag {...rest} />;
}

export const usage = <Text as="a" href="#top">top</Text>;
