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

/** Starts a server with a configured engine at `orch/`. */
export async function serverWithOrch(settings: TestSettings = {}): Promise<TestSecrets> {
  const created = await servedSecrets(settings)
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
