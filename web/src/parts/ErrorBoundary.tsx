import { Component, type ReactNode } from "react";

interface Props {
  children: ReactNode;
  /** What is shown in place of what has failed. */
  instead: (error: Error) => ReactNode;
  /** Another value gives the children another try. */
  of?: string;
}

/** Keeps a failure where it happened: the rest of the page stays. */
export class ErrorBoundary extends Component<Props, { error: Error | null; of: string | undefined }> {
  override state = { error: null as Error | null, of: this.props.of };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(props: Props, state: { error: Error | null; of: string | undefined }) {
    return props.of === state.of ? null : { error: null, of: props.of };
  }

  override render(): ReactNode {
    return this.state.error ? this.props.instead(this.state.error) : this.props.children;
  }
}
