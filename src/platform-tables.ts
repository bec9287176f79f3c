import type { apiTokens } from '../state/platform/accounts/tokens.ts'
import type { users } from '../state/platform/accounts/users.ts'
import type { configurationVersions } from '../state/platform/configuration-versions/configuration-versions.ts'
import type { modules } from '../state/platform/modules/modules.ts'
import type { oauthClients } from '../state/platform/modules/oauth-clients.ts'
import type { variables } from '../state/platform/modules/variables.ts'
import type { moduleUploads } from '../state/platform/modules/versions.ts'
import type { contents, objects } from '../state/platform/objects.ts'
import type { organizations } from '../state/platform/organizations/organizations.ts'
import type { teams } from '../state/platform/organizations/teams.ts'
import type { rateLimitEnforcement } from '../state/platform/rate-limit.ts'
import type { outbox, outboxNumber } from '../state/platform/settings/outbox.ts'
import type { adminSettings } from '../state/platform/settings/settings.ts'
import type { testRuns } from '../state/platform/test-runs/test-runs.ts'
import type { Rows } from './resources.ts'

/** Everything the platform keeps, by table and key; the keys are told at each table. */
export interface PlatformTables {
  readonly 'configuration-versions': Rows<typeof configurationVersions>
  readonly 'module-uploads': Rows<typeof moduleUploads>
  readonly modules: Rows<typeof modules>
  readonly 'oauth-clients': Rows<typeof oauthClients>
  readonly objects: Rows<typeof objects>
  readonly contents: Rows<typeof contents>
  readonly organizations: Rows<typeof organizations>
  readonly outbox: Rows<typeof outbox>
  readonly 'outbox-number': Rows<typeof outboxNumber>
  readonly 'rate-limit': Rows<typeof rateLimitEnforcement>
  readonly 'admin-settings': Rows<typeof adminSettings>
  readonly teams: Rows<typeof teams>
  readonly 'test-runs': Rows<typeof testRuns>
  readonly tokens: Rows<typeof apiTokens>
  readonly users: Rows<typeof users>
  readonly variables: Rows<typeof variables>
}
