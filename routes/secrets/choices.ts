import type { Choice } from '../http/coverage.ts'
import { cloudChoices } from './choices/cloud.ts'
import { gaps } from './choices/gaps.ts'
import { namespaceChoices } from './choices/namespaces.ts'
import { orchChoices } from './choices/orch.ts'
import { passwordChoices } from './choices/passwords.ts'
import { replicationChoices } from './choices/replication.ts'
import { requestChoices } from './choices/requests.ts'
import { sealChoices } from './choices/seals.ts'
import { storageChoices } from './choices/storage.ts'
import { systemChoices } from './choices/system.ts'
import { wrappingChoices } from './choices/wrapping.ts'

/**
 * Every choice of the secrets API that neither 1-secrets.md nor 1-secrets-decisions.md makes
 * (DESIGN section 1). One that no longer holds is taken out with the code that made it.
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
  ...gaps,
]
