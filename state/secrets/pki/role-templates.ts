import type { World } from '../../kernel/worlds/world.ts'
import { entityOfId } from '../identity/entities.ts'
import { templateValue } from '../identity/template-values.ts'
import { fillTemplate, templateOf } from '../policies/templates.ts'
import type { Token } from '../tokens/rows.ts'
import type { PkiRole } from './roles.ts'

/**
 * Returns a role whose templates are filled in for the entity of the caller. A template for which a
 * value is missing allows nothing; without an entity, templates are literal (behaviour/secrets#pki-names).
 */
export function withFilledTemplates(
  world: World,
  role: PkiRole,
  token: Token | undefined,
): PkiRole {
  const entity = token === undefined ? undefined : entityOfId(world, token.entity_id)
  if (entity === undefined) return role
  const fill = (texts: readonly string[]) =>
    texts.flatMap((text) => {
      const template = templateOf(text)
      if (template === undefined || template === 'unbalanced') return [text]
      return fillTemplate(template, (directive) => templateValue(world, entity, directive)) ?? []
    })
  const { allowed_domains: domains, allowed_uri_sans: uris } = role
  return {
    ...role,
    allowed_domains: role.allowed_domains_template ? fill(domains) : domains,
    allowed_uri_sans: role.allowed_uri_sans_template ? fill(uris) : uris,
  }
}
