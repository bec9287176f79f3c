import { accountOperations } from './account.ts'
import { settingsActions } from './admin/actions.ts'
import { settingsOperations } from './admin/settings.ts'
import { tokenOperations } from './authentication-tokens.ts'
import { configurationVersionOperations } from './configuration-versions.ts'
import { oauthClientOperations } from './oauth-clients.ts'
import type { PlatformOperation } from './operation.ts'
import { organizationOperations } from './organizations.ts'
import { pingOperations } from './ping.ts'
import { registryModuleOperations } from './registry-modules.ts'
import { teamOperations } from './teams.ts'
import { testRunOperations } from './test-runs.ts'
import { userOperations } from './users.ts'
import { variableOperations } from './variables.ts'

/** Every operation of the platform API. */
export const platformOperations: readonly PlatformOperation[] = [
  ...pingOperations,
  ...variableOperations,
  ...testRunOperations,
  ...configurationVersionOperations,
  ...settingsOperations,
  ...settingsActions,
  ...accountOperations,
  ...userOperations,
  ...tokenOperations,
  ...organizationOperations,
  ...teamOperations,
  ...oauthClientOperations,
  ...registryModuleOperations,
]
