import { useState } from 'preact/hooks';
import { gatewayUrl } from '../api/index.ts';
import { Button, Icon, Mark } from '../parts/index.ts';
import { isInterrupted, isLoggedIn, isRestoring, logOut, userKey } from '../session/index.ts';
import { login, shell } from '../texts/index.ts';
import { CallerName } from './caller-name.tsx';
import { CurrentPage } from './current-page.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { LoginAgain } from './login-again.tsx';
import { LoginPage } from './login-page.tsx';
import { Navigation } from './navigation.tsx';
import { RolePicker } from './role-picker.tsx';
import { ThemePicker } from './theme-picker.tsx';

export function App() {
  const [notice, setNotice] = useState<string | undefined>(undefined);
  if (!isLoggedIn.value && !isInterrupted.value)
    return isRestoring.value ? <Restoring /> : <LoginPage notice={notice} />;
  function leave() {
    setNotice(undefined);
    logOut().catch(() => setNotice(login.notRevoked));
  }
  return (
    <>
      <ConsoleFrame key={userKey.value} onLogOut={leave} />
      {isInterrupted.value && <LoginAgain onLogOut={leave} />}
    </>
  );
}

/** In the place of the login, while the session from before a reload is continued. */
function Restoring() {
  return (
    <main class="login" aria-busy>
      <h1>{shell.product}</h1>
      <p class="loading dim">{shell.loading}</p>
    </main>
  );
}

function ConsoleFrame({ onLogOut }: { readonly onLogOut: () => void }) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {shell.skipToContent}
      </a>
      <header class="top">
        <Button
          kind="quiet"
          class="menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name="menu" />
          <span class="visually-hidden">{shell.menu}</span>
        </Button>
        <a class="product" href={gatewayUrl('').href} title={shell.startPage}>
          <Mark size={26} />
          <span>{shell.product}</span>
        </a>
        <div class="row end">
          <CallerName />
          <RolePicker />
          <ThemePicker />
          <Button kind="quiet" onClick={onLogOut}>
            <Icon name="leave" />
            <span>{shell.logOut}</span>
          </Button>
        </div>
      </header>
      <div id="menu" class={isMenuOpen ? 'menu open' : 'menu'}>
        <Navigation onFollow={() => setMenuOpen(false)} />
      </div>
      <main id="content" tabIndex={-1}>
        <ErrorBoundary>
          <CurrentPage />
        </ErrorBoundary>
      </main>
    </div>
  );
}
