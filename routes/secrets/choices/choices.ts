import type { Choice } from '../../http/coverage.ts'
import { cloudChoices } from './cloud.ts'
import { identityChoices } from './identity.ts'
import { jwtChoices } from './jwt.ts'
import { namespaceChoices } from './namespaces.ts'
import { orchChoices } from './orch.ts'
import { passwordChoices } from './passwords.ts'
import { replicationChoices } from './replication.ts'
import { requestChoices } from './requests.ts'
import { sealChoices } from './seals.ts'
import { storageChoices } from './storage.ts'
import { systemChoices } from './system.ts'
import { wrappingChoices } from './wrapping.ts'

/**
 * Every choice of the secrets API that no rule of behaviour/secrets makes
 * (behaviour/program#what-it-is). One that no longer holds is taken out with the code that made it.
 */
export const secretsChoices: readonly Choice[] = [
  ...requestChoices,
  ...systemChoices,
  ...sealChoices,
  ...replicationChoices,
  ...storageChoices,
  ...namespaceChoices,
  ...passwordChoices,
  ...wrappingChoices,
  ...cloudChoices,
  ...orchChoices,
  ...jwtChoices,
  ...identityChoices,
]
