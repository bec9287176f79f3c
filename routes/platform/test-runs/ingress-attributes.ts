import { text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { ConfigurationVersion } from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { ingressAttributes } from '../../../state/platform/configuration-versions/ingress.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import { type Resource, resourceShape } from '../json-api/resource.ts'

/** Resource type of the commit that a configuration version comes from. */
export const ingressType = 'ingress-attributes'

const renderer = attributeRenderer(ingressAttributes)

/** Shape of the commit that a configuration version comes from. */
export const ingressShape = resourceShape(ingressType, renderer.shape, {
  links: struct({ 'created-by': text }),
})

/** Renders the commit of a version; empty for versions that were uploaded. */
export function ingressOf({ id, ingress }: ConfigurationVersion): readonly Resource[] {
  if (ingress === undefined) return []
  return [
    {
      id: ingress.id,
      type: ingressType,
      attributes: renderer.render(ingress),
      links: { 'created-by': `/api/v2/configuration-versions/${id}/ingress-attributes` },
    },
  ]
}
