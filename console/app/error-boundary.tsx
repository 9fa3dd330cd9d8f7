import { Component, type ComponentChildren } from 'preact';
import { Button, ErrorNotice } from '../parts/index.ts';
import { shell } from '../texts/index.ts';

interface ErrorBoundaryProps {
  readonly children: ComponentChildren;
}

/** Shows what fails inside it in its place, so that the rest of the console goes on. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static override getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div class="page">
        <h1>{shell.crashed.title}</h1>
        <p>{shell.crashed.text}</p>
        <ErrorNotice error={error} />
        <Button onClick={() => this.setState({ error: undefined })}>{shell.retry}</Button>
      </div>
    );
  }
}
