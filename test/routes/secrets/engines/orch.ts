import { createHash, generateKeyPairSync } from 'node:crypto'
import { memoize } from '../../../../state/kernel/memoize.ts'
import { orchSigningKeys } from '../../../../state/secrets/orch/tokens.ts'
import { orchestratorView } from '../../../../state/secrets/orch/view.ts'
import {
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'

/** Rules of a role as YAML. */
export const yamlRules = `rules:
- apiGroups: [""]
  resources: ["pods"]
  verbs: ["list"]
`

/** The same rules in their stored form. */
export const podRules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]

/** A role of each mode (behaviour/secrets#api-orch, Rules). */
export const modes = {
  account: { service_account_name: 'app' },
  role: { orch_role_name: 'reader' },
  rules: { generated_role_rules: yamlRules },
} as const

/** Signing key of the orchestrator. To generate one for each test would take longer than the tests. */
const signingKey = memoize(() => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const kid = createHash('sha256').update(publicKey).digest('base64url')
  return { kid, private_key: privateKey }
})

/** Starts a server with a configured engine at `orch/`, and an orchestrator with a signing key. */
export async function serverWithOrch(settings: TestSettings = {}): Promise<TestSecrets> {
  const created = await servedSecrets(settings)
  const { world } = created
  world.write(() => world.table(orchSigningKeys).put('key', signingKey()))
  const mount = settings.dialect === 'vendor' ? 'kubernetes' : 'orch'
  const { status } = await created.secrets.post(`${mount}/config`, {
    orch_host: 'https://orch:6443',
  })
  if (status !== 204) throw new Error(`the engine took no configuration: ${status}`)
  return created
}

/** Writes a role that any namespace may use, with changes. */
export async function role(
  { secrets }: Pick<TestSecrets, 'secrets'>,
  name: string,
  fields: object,
  mount = 'orch',
): Promise<void> {
  const body = { allowed_orch_namespaces: '*', ...fields }
  const { status, text } = await secrets.post(`${mount}/roles/${name}`, body)
  if (status !== 204) throw new Error(`the role was not taken: ${text}`)
}

/** Returns the claims of a token without verifying it. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

/** Counts the objects of each kind; kinds without objects are left out. */
export function counts({ world }: Pick<TestSecrets, 'world'>): Record<string, number> {
  const { engines: _, ...objects } = orchestratorView(world)
  return Object.fromEntries(
    Object.entries(objects).flatMap(([kind, { length }]) => (length === 0 ? [] : [[kind, length]])),
  )
}
