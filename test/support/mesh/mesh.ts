import type { FastifyInstance } from 'fastify'
import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import { meshApi } from '../../../routes/mesh/index.ts'
import type { ClockSetting } from '../../../state/kernel/time/clock.ts'
import type { StateDocument } from '../../../state/kernel/worlds/document.ts'
import type { MeshOptions } from '../../../state/mesh/options.ts'
import { meshService } from '../../../state/mesh/service.ts'
import { ApiClient } from '../api-client.ts'
import { checkDocumented } from '../openapi/documented.ts'
import { checkReplies, textFailure } from '../openapi/reply-schemas.ts'
import { type ServedApi, servedApi } from '../served-api.ts'

export type { ApiRequest as MeshRequest } from '../api-client.ts'

/** Client of the mesh API that calls an app directly, without a socket. */
export class MeshClient extends ApiClient {
  constructor(app: FastifyInstance, token?: string) {
    super(app, 'x-mesh-token', token)
  }
}

export interface TestMesh extends ServedApi {
  /** Client without a token. */
  readonly mesh: MeshClient
  /** Client with the management token. */
  readonly manager: MeshClient
  as(token: string): MeshClient
}

export interface MeshSettings {
  readonly options?: Partial<MeshOptions>
  readonly dialect?: DialectName
  /** True to serve all paths of the API, as a dedicated port does. Default: true. */
  readonly dedicated?: boolean
  readonly clock?: ClockSetting
  readonly document?: StateDocument
}

/**
 * Starts a fresh server without a socket, with the seed `test` and by default with the clock frozen
 * at `testTime`. Replies are checked.
 */
export async function mesh(settings: MeshSettings = {}): Promise<TestMesh> {
  const { dialect = 'neutral', dedicated = true, options, clock, document } = settings
  const served = await servedApi({
    service: meshService,
    kind: `mesh ${dialect} ${dedicated}`,
    api: () => meshApi({ dialect, isDedicated: dedicated }),
    options: { mesh: { ...options } },
    clock,
    document,
    check(app) {
      checkReplies(app, textFailure)
      checkDocumented(app, 'mesh', dialect)
    },
  })
  const as = (token?: string) => new MeshClient(served.app, token)
  return { ...served, mesh: as(), manager: as('mesh-management-token'), as }
}

/** Returns a peering token as another cluster would make it, with members replaced. */
export function peeringToken(members: object = {}): string {
  const token = { ServerAddresses: ['10.0.0.1:8502'], PeerID: 'p', ...members }
  return Buffer.from(JSON.stringify(token)).toString('base64')
}
