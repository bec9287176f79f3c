import { quoteGo } from '../../go/text.ts'
import { list, map, name, text } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { message, refuse } from './messages.ts'

/**
 * A templated policy in the form that tokens and roles store (behaviour/mesh#templated-policies).
 */
export const templatedPolicyShape = struct({
  template_id: name,
  template_name: name,
  /** The variable `name`; left out if it was not sent or is empty. */
  template_variables: optional(map(text)),
  /** Datacenters in which the policy is valid; left out for all datacenters. */
  datacenters: optional(list(name)),
})

export interface TemplatedPolicy extends StoredOf<typeof templatedPolicyShape> {}

export interface TemplatedPolicyInput {
  readonly template?: string | undefined
  readonly variables?: { readonly name?: string | undefined } | undefined
  readonly datacenters?: readonly string[] | undefined
}

export interface PolicyTemplate {
  readonly id: string
  readonly name: string
  readonly description: string
  /** JSON Schema of the variables, as text; empty if the template has no variables. */
  readonly schema: string
  /** Source text of the rules, in which `{{.Name}}` stands for the variable. */
  readonly template: string
}

const nameSchema =
  '{"type":"object","properties":{"name":{"type":"string","$ref":"#/definitions/min-length-one"}},"required":["name"],"definitions":{"min-length-one":{"type":"string","minLength":1}}}'

/** Returns the source text of a rule, laid out as in the reference's templates. */
function formatRule(kind: string, label: string, access: string, indent = '\t'): string {
  return `\n${kind} "${label}" {\n${indent}policy = "${access}"\n}`
}

const twoSpaces = '  '
const namePlaceholder = '{{.Name}}'

/** Returns the rules of the template for services. Service identities grant the same rules. */
export function serviceRules(service: string): string {
  return [
    formatRule('service', service, 'write'),
    formatRule('service', `${service}-sidecar-proxy`, 'write'),
    formatRule('service_prefix', '', 'read'),
    formatRule('node_prefix', '', 'read'),
  ].join('')
}

/** Returns the rules of the template for nodes. Node identities grant the same rules. */
export function nodeRules(node: string): string {
  return formatRule('node', node, 'write') + formatRule('service_prefix', '', 'read')
}

function createTemplate(
  number: number,
  kind: string,
  takesName: boolean,
  rules: string,
  description: string,
): PolicyTemplate {
  return {
    id: `00000000-0000-0000-0000-${String(number).padStart(12, '0')}`,
    name: `builtin/${kind}`,
    description,
    schema: takesName ? nameSchema : '',
    template: rules,
  }
}

/** The builtin templates by name, such as `builtin/service`. */
export const policyTemplates: ReadonlyMap<string, PolicyTemplate> = new Map(
  [
    createTemplate(
      3,
      'service',
      true,
      serviceRules(namePlaceholder),
      'Permissions to register a service and its sidecar proxy, and to discover services.',
    ),
    createTemplate(4, 'node', true, nodeRules(namePlaceholder), 'Permissions to register a node.'),
    createTemplate(
      5,
      'dns',
      false,
      formatRule('node_prefix', '', 'read') +
        formatRule('service_prefix', '', 'read') +
        formatRule('query_prefix', '', 'read'),
      'Permissions to query services by DNS.',
    ),
    createTemplate(
      6,
      'nomad-server',
      false,
      `\nacl = "write"${formatRule('agent_prefix', '', 'read', twoSpaces)}${formatRule('node_prefix', '', 'read', twoSpaces)}${formatRule('service_prefix', '', 'write', twoSpaces)}`,
      'Permissions that a server of the scheduler needs.',
    ),
    createTemplate(
      8,
      'api-gateway',
      true,
      `mesh = "read"${formatRule('node_prefix', '', 'read')}${formatRule('service_prefix', '', 'read')}${formatRule('service', namePlaceholder, 'write')}`,
      'Permissions of an API gateway.',
    ),
    createTemplate(
      9,
      'nomad-client',
      false,
      [
        formatRule('agent_prefix', '', 'read', twoSpaces),
        formatRule('node_prefix', '', 'read', twoSpaces),
        formatRule('service_prefix', '', 'write', twoSpaces),
        formatRule('key_prefix', '', 'read', twoSpaces),
      ]
        .join('')
        .slice(1),
      'Permissions that a client of the scheduler needs.',
    ),
  ].map((each) => [each.name, each]),
)

const identityNamePattern = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/

/**
 * Returns whether a string is a valid name of a service or node. Valid names have at most 256
 * lowercase letters, digits, `-` and `_`, with a letter or digit at each end.
 */
export function isIdentityName(text: string): boolean {
  return text.length <= 256 && identityNamePattern.test(text)
}

/**
 * Returns the first error in the variables of a template; undefined if the variables are valid.
 * Templates for services and nodes report an empty name as an invalid name, not as a missing one.
 */
export function variablesProblem(
  { name, schema }: PolicyTemplate,
  variables: TemplatedPolicyInput['variables'],
) {
  if (schema === '') return undefined
  if (variables === undefined) return message('template-variables-missing')
  const { name: value = '' } = variables
  const kind = name.slice('builtin/'.length)
  if ((kind === 'service' || kind === 'node') && !isIdentityName(value)) {
    return message('template-name-odd', { kind, quoted: quoteGo(value) })
  }
  return value === '' ? message('template-name-missing') : undefined
}

/**
 * Returns templated policies in stored form, without duplicates. Throws a refusal for a missing or
 * unknown template and for invalid variables.
 */
export function normalizeTemplated(
  sent: readonly TemplatedPolicyInput[],
  noun: 'token' | 'role',
): readonly TemplatedPolicy[] {
  const unique = new Map<string, TemplatedPolicy>()
  for (const { template: templateName = '', variables, datacenters = [] } of sent) {
    if (templateName === '') throw refuse('template-unnamed', { noun })
    const found = policyTemplates.get(templateName)
    if (found === undefined) throw refuse(`template-unknown-on-${noun}`, { name: templateName })
    const problem = variablesProblem(found, variables)
    if (problem !== undefined) {
      throw refuse('template-variables-invalid', { quoted: quoteGo(templateName), problem })
    }
    const row = {
      template_id: found.id,
      template_name: found.name,
      ...(variables?.name && { template_variables: { name: variables.name } }),
      ...(datacenters.length > 0 && { datacenters }),
    }
    unique.set(JSON.stringify(row), row)
  }
  return [...unique.values()]
}

/** Returns the rules of a template, with its variable replaced by `value`. */
export function renderTemplate({ template: rules }: PolicyTemplate, value: string): string {
  return rules.replaceAll(namePlaceholder, () => value)
}
