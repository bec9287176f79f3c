import { attributeTime, statusTime } from '../../../state/platform/timestamps.ts'
import { rowRendererWith } from '../../http/declare/row-renderer.ts'

const nameOf = (member: string): string => member.replaceAll('_', '-')

/** Tells rows as attributes: names have hyphens for underscores. */
export const attributeRenderer = rowRendererWith({ renderName: nameOf, time: attributeTime })

/** Tells instants as `status-timestamps` have them. */
export const timestampRenderer = rowRendererWith({ renderName: nameOf, time: statusTime })
