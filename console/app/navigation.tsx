import { Icon } from '../parts/index.ts';
import { followLink, hrefOf, path } from '../routing/index.ts';
import { allowedRoles, role } from '../session/index.ts';
import { shell } from '../texts/index.ts';
import { pageAt } from './current-page.tsx';
import { type ConsolePage, isShown, PAGES } from './pages.ts';

const PAGE_GROUPS = Object.entries(shell.groups) as readonly [ConsolePage['group'], string][];

/** The links to the pages. @param onFollow called when one is followed. */
export function Navigation({ onFollow }: { readonly onFollow: () => void }) {
  const current = pageAt(path.value);
  const shown = PAGES.filter((page) => isShown(page, role.value, allowedRoles.value ?? []));
  return (
    <nav aria-label={shell.navigation}>
      {PAGE_GROUPS.map(([group, title]) => {
        const pages = shown.filter((page) => page.group === group);
        if (pages.length === 0) return null;
        return (
          <section key={group} aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>{title}</h2>
            <ul>
              {pages.map((page) => (
                <li key={page.path}>
                  <a
                    href={hrefOf(page.path)}
                    title={page.title}
                    aria-current={page === current ? 'page' : undefined}
                    onClick={(event) => {
                      followLink(event, page.path);
                      onFollow();
                    }}
                  >
                    <Icon name={page.icon} />
                    <span>{page.title}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </nav>
  );
}
