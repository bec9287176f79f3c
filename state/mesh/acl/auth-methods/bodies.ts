import { any, duration, list, map, text, uint } from '../../../kernel/shape/kinds.ts'
import { embedded, partial, struct } from '../../../kernel/shape/members.ts'
import type { ParsedOf } from '../../../kernel/shape/values.ts'
import { templateVariables } from '../bodies.ts'
import type { AuthMethodInput } from './auth-methods.ts'
import type { BindingRuleInput } from './binding-rules.ts'

const namespaceRules = list(
  partial(struct('ACLAuthMethodNamespaceRule', { Selector: text, BindNamespace: text })),
)

export const methodBody = partial(
  struct('ACLAuthMethod', {
    MaxTokenTTL: duration,
    ...embedded('Alias', {
      Name: text,
      Type: text,
      DisplayName: text,
      Description: text,
      TokenLocality: text,
      Config: map(any),
      NamespaceRules: namespaceRules,
      Namespace: text,
      Partition: text,
      ...embedded('RaftIndex', { CreateIndex: uint, ModifyIndex: uint }),
    }),
  }),
)

export function methodInputOf(body: ParsedOf<typeof methodBody>): AuthMethodInput {
  const rules = body.NamespaceRules?.map((rule) => ({
    Selector: rule?.Selector ?? '',
    BindNamespace: rule?.BindNamespace ?? '',
  }))
  return {
    name: body.Name ?? '',
    type: body.Type ?? '',
    display_name: body.DisplayName ?? '',
    description: body.Description ?? '',
    max_token_ttl: body.MaxTokenTTL ?? 0,
    token_locality: body.TokenLocality ?? '',
    config: body.Config ?? null,
    ...(rules !== undefined && rules.length > 0 && { namespace_rules: rules }),
  }
}

export const ruleBody = partial(
  struct('ACLBindingRule', {
    ID: text,
    Description: text,
    AuthMethod: text,
    Selector: text,
    BindType: text,
    BindName: text,
    BindVars: templateVariables,
    Namespace: text,
    Partition: text,
    ...embedded('RaftIndex', { CreateIndex: uint, ModifyIndex: uint }),
  }),
)

export function ruleInputOf(body: ParsedOf<typeof ruleBody>): BindingRuleInput {
  const { BindVars } = body
  return {
    description: body.Description ?? '',
    auth_method: body.AuthMethod ?? '',
    selector: body.Selector ?? '',
    bind_type: body.BindType ?? '',
    bind_name: body.BindName ?? '',
    ...(BindVars && { bind_vars: BindVars.name ? { name: BindVars.name } : {} }),
  }
}
