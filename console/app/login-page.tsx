import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/index.ts';
import { Button, ErrorNotice, Field, Icon, type IconName, Mark, Notice, Tabs } from '../parts/index.ts';
import {
  claims,
  endedBecause,
  enterAccessToken,
  enterAdminSecret,
  isInterrupted,
  logIn,
  logInWithServiceAccount,
  restoreProblem,
  restoreSession,
} from '../session/index.ts';
import { login, shell } from '../texts/index.ts';
import { settings } from './console-settings.ts';
import { ThemePicker } from './theme-picker.tsx';

const LOGIN_METHODS = [
  { id: 'password', label: login.password.tab },
  { id: 'service', label: login.service.tab },
  { id: 'token', label: login.token.tab },
  { id: 'admin', label: login.admin.tab },
] as const;

type LoginMethod = (typeof LOGIN_METHODS)[number]['id'];

const FORMS: Readonly<Record<LoginMethod, () => preact.JSX.Element>> = {
  password: PasswordForm,
  service: ServiceAccountForm,
  token: TokenForm,
  admin: AdminForm,
};

export function LoginPage({ notice }: { readonly notice: string | undefined }) {
  return (
    <main class="login-page">
      <Pitch />
      <div class="login">
        <LoginMethods notice={notice} />
      </div>
    </main>
  );
}

const POINTS: readonly { readonly icon: IconName; readonly text: string }[] = [
  { icon: 'terminal', text: login.pitch.explore },
  { icon: 'nodes', text: login.pitch.operate },
  { icon: 'people', text: login.pitch.administer },
];

/** What the console is for, beside the forms where there is room. */
function Pitch() {
  return (
    <div class="pitch">
      <Mark size={56} />
      <p class="claim-line">{login.pitch.title}</p>
      <ul>
        {POINTS.map(({ icon, text }) => (
          <li key={icon}>
            <Icon name={icon} />
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The forms of all methods. @param notice what has happened before. */
export function LoginMethods({ notice }: { readonly notice: string | undefined }) {
  const [method, choose] = useState<LoginMethod>('password');
  const Form = FORMS[method];
  useEffect(() => {
    const { title } = document;
    document.title = shell.title(login.title);
    return () => {
      document.title = title;
    };
  }, []);
  return (
    <>
      <div class="card">
        <header class="page-header">
          <div>
            <h1>{shell.product}</h1>
            <p class="dim">{login.lead}</p>
          </div>
          <ThemePicker />
        </header>
        {endedBecause.value === 'expired' && (
          <Notice kind="info">{isInterrupted.value ? login.interrupted.text : login.expired}</Notice>
        )}
        {restoreProblem.value !== undefined && <NotRestored error={restoreProblem.value} />}
        {notice !== undefined && <Notice kind="bad">{notice}</Notice>}
        <Tabs label={login.methods} tabs={LOGIN_METHODS} chosen={method} onChoose={(id) => choose(id as LoginMethod)}>
          <Form />
        </Tabs>
      </div>
      <DemoAccounts />
    </>
  );
}

function NotRestored({ error }: { readonly error: unknown }) {
  return (
    <>
      <ErrorNotice error={error} />
      <Button onClick={() => void restoreSession()}>{login.restore}</Button>
    </>
  );
}

/** Runs a login once at a time, and keeps why it failed. */
function useLogin() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  async function run(work: () => Promise<void>) {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  }
  return { isBusy, error, run };
}

function LoginProblem({ error, refused = login.refused }: { readonly error: unknown; readonly refused?: string }) {
  if (error === undefined) return null;
  if (error instanceof ApiError && error.code === 'login-refused')
    return <Notice kind="bad">{error.message || refused}</Notice>;
  return <ErrorNotice error={error} />;
}

function PasswordForm() {
  const { isBusy, error, run } = useLogin();
  function submit(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string) => String(given.get(name) ?? '');
    void run(() => logIn({ username: text('username'), password: text('password'), tenantId: Number(text('tenant')) }));
  }
  return (
    <form onSubmit={submit}>
      <LoginProblem error={error} />
      {!isSecureContext && <Notice kind="info">{login.password.notKept}</Notice>}
      <Field label={login.password.user} name="username" autocomplete="username" required autocapitalize="none" />
      <Field label={login.password.password} name="password" type="password" autocomplete="current-password" required />
      <Field
        label={login.password.tenant}
        name="tenant"
        inputMode="numeric"
        pattern="[0-9]+"
        defaultValue={claims.value?.tenantId ?? '1'}
        required
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {login.password.submit}
      </Button>
    </form>
  );
}

function ServiceAccountForm() {
  const { isBusy, error, run } = useLogin();
  function submit(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string) => String(given.get(name) ?? '').trim();
    void run(() => logInWithServiceAccount({ clientId: text('client'), clientSecret: text('secret') }));
  }
  return (
    <form onSubmit={submit}>
      <LoginProblem error={error} refused={login.service.refused} />
      <Field label={login.service.id} name="client" autocomplete="off" spellcheck={false} required />
      <Field
        label={login.service.secret}
        name="secret"
        type="password"
        autocomplete="off"
        help={login.service.help}
        required
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {login.service.submit}
      </Button>
    </form>
  );
}

function TokenForm() {
  const { isBusy, error, run } = useLogin();
  const [isWrong, setWrong] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get('token') ?? '');
        void run(async () => setWrong(!(await enterAccessToken(text))));
      }}
    >
      <LoginProblem error={error} />
      <Field
        label={login.token.label}
        name="token"
        type="password"
        autocomplete="off"
        help={login.token.help}
        problem={isWrong ? login.token.invalid : undefined}
        required
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {login.token.submit}
      </Button>
    </form>
  );
}

function AdminForm() {
  const { isBusy, error, run } = useLogin();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const secret = String(new FormData(event.currentTarget).get('secret') ?? '');
        void run(() => enterAdminSecret(secret));
      }}
    >
      <LoginProblem error={error} refused={login.admin.refused} />
      <Field
        label={login.admin.label}
        name="secret"
        type="password"
        autocomplete="off"
        help={login.admin.help}
        required
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {login.admin.submit}
      </Button>
    </form>
  );
}

/** The accounts of demo data, where the gateway runs on it. */
function DemoAccounts() {
  const accounts = settings.value.demoAccounts;
  const { isBusy, error, run } = useLogin();
  if (accounts.length === 0) return null;
  return (
    <section class="card" aria-labelledby="demo">
      <h2 id="demo">{login.demo.title}</h2>
      <p class="dim">{login.demo.text}</p>
      <LoginProblem error={error} />
      <ul class="choices">
        {accounts.map(({ username, password, tenant, tenant_id, roles }) => (
          <li key={`${tenant_id}/${username}`}>
            <Button isBusy={isBusy} onClick={() => void run(() => logIn({ username, password, tenantId: tenant_id }))}>
              {login.demo.account(username, tenant)} <span class="dim small">{roles.join(', ')}</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
