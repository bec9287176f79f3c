import type { Api, ApiName } from '../routes/http/api.ts'
import { unservedApi } from '../routes/http/unserved.ts'
import { platformApi } from '../routes/platform/index.ts'
import type { DialectName } from '../routes/secrets/dialect.ts'
import { secretsApi } from '../routes/secrets/index.ts'
import type { ServiceDefinition } from '../state/kernel/service.ts'
import { platformService } from '../state/platform/service.ts'
import { secretsService } from '../state/secrets/service.ts'

/** The services that every world has. */
export const services: readonly ServiceDefinition[] = [secretsService, platformService]

/** The APIs in the order of the ready line. */
export const apiNames: readonly ApiName[] = ['secrets', 'platform', 'mesh', 'scheduler']

/** The APIs of one process. */
export function createApis(dialect: DialectName): Readonly<Record<ApiName, Api>> {
  return {
    secrets: secretsApi({ dialect }),
    platform: platformApi({ dialect }),
    // On the combined listener `/v1` is the secrets API's as long as these two are not served.
    mesh: unservedApi('mesh', '/v1'),
    scheduler: unservedApi('scheduler', '/v1'),
  }
}
