import type { Choice } from '../../http/coverage.ts'

const section = 'behaviour/platform#surroundings'

function decided(id: string, about: string, choice: string, where = section): Choice {
  return { id, about, choice, evidence: 'decided here', where }
}

/** Organizations, teams, users, tokens, connections and modules. */
export const surfaceChoices: readonly Choice[] = [
  decided(
    'organization-rights',
    'Who may do what in an organization.',
    'Members read it; owners, the owners team and site admins do everything. The organization token manages teams, connections and modules, but neither changes nor deletes the organization; members of teams with the matching right in organization-access do the same.',
  ),
  decided(
    'organization-rename',
    'What a new name of an organization means, as the name is its id.',
    'Teams, tokens, modules, connections and tests go along; private modules get the new namespace.',
  ),
  decided(
    'organization-permissions',
    'Whose the permissions of an organization are who are neither owners nor site admins.',
    'Each follows from a right of a team: workspaces, tags and variable sets from manage-workspaces, and so on; can-access-via-teams is told besides.',
  ),
  decided(
    'organization-user-tokens',
    'Where a user token is refused while user-tokens-enabled is false.',
    'Wherever a path names the organization or what belongs to it, site admins not excepted; the list of organizations still has it. The owners team token turns it back on.',
  ),
  decided(
    'entitlements',
    'What an organization is entitled to.',
    'Everything; users without limit.',
  ),
  decided(
    'user-visibility',
    'Who sees a user.',
    'Whoever has a valid token; email and roles are only in the own account.',
  ),
  decided('user-auth-method', 'The value of auth-method.', '`local`.'),
  decided(
    'token-body',
    'The body of a POST that makes a token.',
    'May be left out; its type is not looked at.',
  ),
  decided(
    'token-last-used',
    'How exact last-used-at is.',
    'The first use in each minute of the world is noted.',
  ),
  decided(
    'token-access',
    "Who manages the tokens of teams and organizations, and who reads others' user tokens.",
    'Team tokens: who manages teams, and while allow-member-token-management holds its members and its own token. An organization token: owners and itself. User tokens: their user alone, site admins not excepted.',
  ),
  decided(
    'team-tokens',
    "How a team's one token and its several ones go together.",
    'Side by side: the one is replaced and deleted without the others, the list has both.',
    'behaviour/platform#beyond',
  ),
  decided(
    'project-rules',
    'Rights and names of projects.',
    'Members read them, manage-projects changes them; names are trimmed, and unique in the organization.',
    'behaviour/platform#beyond',
  ),
  decided(
    'service-users',
    'The service users of teams and organizations.',
    'One for each, `api-<id>`, made with the first token and kept when that is replaced; deleted with the organization.',
  ),
  decided(
    'team-secret',
    'Who sees secret teams.',
    'Their members, their tokens and those who manage teams; for the others they are 404.',
  ),
  decided(
    'team-owners',
    'Changes of the owners team.',
    'It cannot be renamed or deleted (422), and only owners and the organization token change who is in it.',
  ),
  decided(
    'team-membership-errors',
    'Membership requests of which a part cannot be done.',
    'Nothing is done; 400 names the first user who is unknown, a service user, a member already or, of DELETE, no member.',
  ),
  decided(
    'query-repeated',
    'A query parameter that comes more than once.',
    'Of page parameters the first counts, of `filter[source]` all together; other filters are 422.',
    'behaviour/platform#pagination',
  ),
  decided(
    'oauth-client-rules',
    'Rules of connections to version-control providers.',
    'service-provider, http-url and api-url must not be blank. Tokens, secrets and private keys are not kept. Of projects only those of the organization are taken, of agent pools any id.',
  ),
  decided(
    'oauth-token-account',
    'The account that an oauth token tells of, as no provider is ever asked.',
    'uid `1`, service-provider-user `example-user`; listed in pages.',
  ),
  decided(
    'module-vcs-connection',
    'A repository whose oauth-token-id is unknown or missing.',
    'Taken as it is, repository-http-url and service-provider null; only the deprecated route needs it, when organization-name does not say where the module goes, else 404.',
  ),
  decided(
    'module-branch-and-tags',
    'A repository with a branch and tags.',
    'Either or: a branch turns tags off, tags without a branch are the default, both are 422. A module without a repository cannot get one by PATCH.',
  ),
  decided(
    'module-test-config-null',
    'test-config or vcs-repo sent as null.',
    'As if left out. A pool goes when the mode turns to remote.',
  ),
  decided(
    'module-nested-errors',
    'Pointers of errors in members of vcs-repo and test-config.',
    '`/data/attributes/vcs-repo/identifier`; the text names the member.',
  ),
  decided(
    'module-version-order',
    'The order of version-statuses, and of the list of modules.',
    'Versions as they were made; modules by registry, namespace, name and provider.',
  ),
  decided(
    'module-version-own',
    'Versions of public modules and of those from repositories.',
    'Cannot be added (404). Of public modules only the whole name can be deleted.',
  ),
  decided(
    'module-archive',
    'The archive that is uploaded for a version.',
    'Any bytes, also none, make it `ok`. One after 25 hours is 403.',
  ),
  decided(
    'workspace-rules',
    'What workspaces do that nothing runs in.',
    'vcs-repo is always null, tags have their names for ids, locked-by is who locked it; a project that was deleted is told as the default one; execution-mode, once sent, is an overwrite; infra-version begins as the option toolVersion.',
    'behaviour/platform#beyond',
  ),
  decided(
    'registry-protocol-address',
    "When the address of a version's archive is made, and how long it is good.",
    'When it is first asked for, and as long as the version is there. Requests of the protocol are not counted against rate limits.',
    'behaviour/platform#beyond',
  ),
  decided(
    'module-deprecated-order',
    'What deprecated POST /registry-modules looks at first.',
    'The body: it alone says which organization it is about.',
    'behaviour/platform#api-versioning',
  ),
  decided(
    'fixtures-owners',
    'An organization of the fixtures without a team `owners`.',
    'Gets one with the user `owner` of the start state.',
    'behaviour/platform#seeds',
  ),
]
