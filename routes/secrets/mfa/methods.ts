import { any, bool, int, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault, withOthers } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { refuse } from '../../../state/secrets/mfa/messages.ts'
import {
  deleteMethod,
  type MethodSettings,
  type MethodType,
  type MfaMethod,
  methodsVisibleIn,
  namespaceOf,
  readMethod,
  writeMethod,
} from '../../../state/secrets/mfa/methods.ts'
import {
  checkedDuoSettings,
  checkedOktaSettings,
  checkedPingSettings,
  checkedTotpSettings,
} from '../../../state/secrets/mfa/settings.ts'
import { destroySecret, generateSecret } from '../../../state/secrets/mfa/totp.ts'
import { barcodeOf } from '../../../state/secrets/totp/barcode.ts'
import { dataOutcome, emptyOutcome, keysOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, envelopeOf, keyInfoEnvelope } from '../envelope/schemas.ts'
import { duration, flag, requiredText, textField } from '../fields/field-kinds.ts'
import type { FieldSchemas, FieldValues } from '../fields/fields.ts'
import { type Call, operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#mfa' })

const methodIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Returns the id of a method from a path. Throws `unsupported-path` for a text that cannot be an
 * id.
 */
function requireMethodId({ id }: { readonly id: string }): string {
  if (!methodIdPattern.test(id)) throw refuse('unsupported-path')
  return id
}

/** Returns the data of a method for replies. */
function methodData(world: World, method: MfaMethod): object {
  const { id, name, namespace, type } = method
  const members = {
    ...method.totp,
    ...method.settings,
    id,
    name,
    namespace_id: namespace,
    namespace_path: namespaceOf(world, namespace).path,
    type,
  }
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Reply to reading a method. Some of its members depend on the type of the method. */
const methodReply = {
  200: envelopeOf(
    withOthers(struct({ id: text, name: text, namespace_id: text, type: text }), any),
  ),
}

const listReply = { 200: keyInfoEnvelope }

function methodList({ world, namespace }: Call, type?: MethodType): SecretsOutcome {
  const methods = methodsVisibleIn(world, namespace, type)
  const info = methods.map((method) => [method.id, methodData(world, method)] as const)
  return keysOutcome(
    methods.map(({ id }) => id),
    { key_info: Object.fromEntries(info) },
  )
}

/** A type of methods, with the parameters that declare its operations. */
interface MethodKind<F extends FieldSchemas> {
  readonly type: MethodType
  /** Name of the type in operation ids. */
  readonly resource: string
  readonly fields: F
  /** Names of the fields that contain secrets. */
  readonly secrets?: readonly string[]
  /**
   * Returns the name that a write contains, and a function that checks the other settings and
   * returns them.
   */
  readonly parse: (fields: FieldValues<F>) => {
    readonly name: string
    readonly settings: () => MethodSettings
  }
}

const method_name = textField('Name of the method')

/** Declares the operations on the methods of a type. */
function methodOperations<const F extends FieldSchemas>(
  kind: MethodKind<F>,
): readonly SecretsOperation[] {
  const { type, resource, fields, secrets, parse } = kind
  const path = `mfa/method/${type}` as const
  const write = (call: Call<unknown, FieldValues<F>>, id: string) =>
    writeMethod(call.world, call.namespace, { type, id, ...parse(call.fields) })
  const shared = {
    body: fields,
    failures: [500],
    ...(secrets !== undefined && { secrets: { body: secrets } }),
  } as const
  return [
    operation.list(`identityList${resource}Methods`, path, {
      summary: `List the second factors of the type ${type}.`,
      reply: listReply,
      run: (call) => methodList(call, type),
    }),
    operation.read(`identityRead${resource}Method`, `${path}/:id`, {
      summary: `Read a second factor of the type ${type}.`,
      failures: [403],
      reply: methodReply,
      run: ({ world, namespace, params }) =>
        dataOutcome(methodData(world, readMethod(world, namespace, requireMethodId(params), type))),
    }),
    operation.write(`identityMake${resource}Method`, path, {
      summary: `Create a second factor of the type ${type}, or replace the one with the given name.`,
      ...shared,
      reply: enveloped({ method_id: text }),
      run: (call) => dataOutcome({ method_id: write(call, '') ?? '' }),
    }),
    operation.write(`identityWrite${resource}Method`, `${path}/:id`, {
      summary: `Replace a second factor of the type ${type}; nothing happens for an unknown id.`,
      ...shared,
      run(call) {
        write(call, requireMethodId(call.params))
        return emptyOutcome
      },
    }),
    operation.delete(`identityDelete${resource}Method`, `${path}/:id`, {
      summary: `Delete a second factor of the type ${type}.`,
      failures: [500],
      apply: ({ world, namespace, params }) =>
        deleteMethod(world, namespace, requireMethodId(params), type),
    }),
  ]
}

const usernameFormat = textField(
  'Template of the user name at the provider; stored and returned, but without effect',
)

const totpOperations = methodOperations({
  type: 'totp',
  resource: 'Totp',
  fields: {
    method_name,
    issuer: requiredText('Name of the issuing organization'),
    period: withDefault(duration('Period of a code'), 30),
    key_size: withDefault(described(int, 'Size of generated keys in bytes'), 20),
    qr_size: withDefault(described(int, 'Width of the image in pixels; 0 means no image'), 200),
    algorithm: withDefault(described(text, 'SHA1, SHA256 or SHA512'), 'SHA1'),
    digits: withDefault(described(int, 'Number of digits of a code: 6 or 8'), 6),
    skew: withDefault(
      described(
        int,
        'Number of periods before and after the current one whose codes are accepted: 0 or 1',
      ),
      1,
    ),
    max_validation_attempts: withDefault(
      described(int, 'Maximum number of attempts in a period; further codes are refused'),
      0,
    ),
  },
  parse: ({ method_name: name, ...fields }) => ({
    name,
    settings: () => checkedTotpSettings(fields),
  }),
})

const duoOperations = methodOperations({
  type: 'duo',
  resource: 'Duo',
  fields: {
    method_name,
    username_format: usernameFormat,
    secret_key: requiredText('Secret key of the application'),
    integration_key: requiredText('Integration key of the application'),
    api_hostname: requiredText('Host of the API'),
    push_info: textField('Text of push notifications'),
    use_passcode: flag('Whether callers are asked for a passcode'),
  },
  secrets: ['secret_key', 'integration_key'],
  parse: ({ method_name: name, push_info: pushinfo, ...fields }) => ({
    name,
    settings: () => checkedDuoSettings({ ...fields, pushinfo }),
  }),
})

const oktaOperations = methodOperations({
  type: 'okta',
  resource: 'Okta',
  fields: {
    method_name,
    username_format: usernameFormat,
    org_name: requiredText('Name of the organization'),
    api_token: requiredText('Token of the API'),
    base_url: described(text, 'Domain of the organization'),
    primary_email: flag('Stored and returned, but without effect'),
    production: described(bool, 'Old setting for base_url'),
  },
  secrets: ['api_token'],
  parse: ({ method_name: name, base_url, production, ...fields }) => ({
    name,
    settings: () => checkedOktaSettings({ ...fields, base_url, production }),
  }),
})

const pingOperations = methodOperations({
  type: 'pingid',
  resource: 'PingId',
  fields: {
    method_name,
    username_format: usernameFormat,
    settings_file_base64: requiredText('Settings file of the provider as base64'),
  },
  secrets: ['settings_file_base64'],
  parse: ({ method_name: name, settings_file_base64: file }) => ({
    name,
    settings: () => checkedPingSettings(file),
  }),
})

const generatedReply = {
  200: envelopeOf(
    described(
      nullable(
        struct({
          barcode: described(text, 'QR code of the URL as a PNG image in base64; empty for size 0'),
          url: text,
        }),
      ),
      'Null, with a warning, if the entity already has a secret',
    ),
  ),
}

function generateReply({ world, namespace }: Call, method: string, entity: string): SecretsOutcome {
  return world.write(() => {
    const { url, imageSize, warnings } = generateSecret(world, namespace, method, entity)
    if (url === undefined) return { kind: 'envelope', warnings }
    const { barcode = '' } = barcodeOf(url, imageSize)
    return dataOutcome({ barcode, url })
  })
}

const generatedSecrets = { reply: ['data/url', 'data/barcode'] }
const idField = requiredText('Id of the method')
const entityField = requiredText('Id of the entity')

const secretOperations = [
  operation.write('identityGenerateTotpSecret', 'mfa/method/totp/generate', {
    summary: "Give the caller's entity a secret for a method.",
    secrets: generatedSecrets,
    body: { method_id: idField },
    reply: generatedReply,
    run: (call) => generateReply(call, call.fields.method_id, call.token?.entity_id ?? ''),
  }),
  operation.write('identityGenerateTotpSecretOf', 'mfa/method/totp/admin-generate', {
    summary: 'Give an entity a secret for a method.',
    secrets: generatedSecrets,
    body: { method_id: idField, entity_id: entityField },
    reply: generatedReply,
    run: (call) => generateReply(call, call.fields.method_id, call.fields.entity_id),
  }),
  operation.write('identityDestroyTotpSecret', 'mfa/method/totp/admin-destroy', {
    summary: "Delete an entity's secret for a method.",
    body: { method_id: idField, entity_id: entityField },
    failures: [500],
    apply: ({ world, namespace, fields: { method_id, entity_id } }) =>
      destroySecret(world, namespace, method_id, entity_id),
  }),
]

/**
 * Operations on the methods that check a second factor when a user logs in, and on the TOTP secrets
 * of entities.
 */
export const mfaMethodOperations: readonly SecretsOperation[] = [
  operation.list('identityListMfaMethods', 'mfa/method', {
    summary: 'List the second factors of all types.',
    reply: listReply,
    run: (call) => methodList(call),
  }),
  // The router selects the first match, so paths with parameters come last.
  ...secretOperations,
  ...totpOperations,
  ...duoOperations,
  ...oktaOperations,
  ...pingOperations,
  operation.read('identityReadMfaMethod', 'mfa/method/:id', {
    summary: 'Read a second factor of any type.',
    failures: [403],
    reply: methodReply,
    run: ({ world, namespace, params }) =>
      dataOutcome(methodData(world, readMethod(world, namespace, requireMethodId(params)))),
  }),
]
