import { attributeTime, statusTime } from '../../../state/platform/timestamps.ts'
import { rowRendererWith } from '../../http/declare/row-renderer.ts'

const nameOf = (member: string): string => member.replaceAll('_', '-')

/** Renderer of rows as attributes, with hyphens in names instead of underscores. */
export const attributeRenderer = rowRendererWith({ renderName: nameOf, time: attributeTime })

/** Renderer of instants as in `status-timestamps`. */
export const timestampRenderer = rowRendererWith({ renderName: nameOf, time: statusTime })
