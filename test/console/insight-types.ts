import type * as read from '../../console/api/insight.ts';
import type * as readJobs from '../../console/api/jobs.ts';
import type { ShownDeliveries } from '../../gateway/jobs/commands/shown-deliveries.ts';
import type { ShownJob, ShownJobDetails, ShownQueue } from '../../gateway/jobs/commands/shown-jobs.ts';
import type { TypeInsight } from '../../gateway/operations/insight/graph.ts';
import type { MetadataFile, MetadataFileText } from '../../gateway/operations/insight/metadata-files.ts';
import type { Page } from '../../gateway/operations/insight/page.ts';
import type { ChangePreview } from '../../gateway/operations/insight/preview.ts';
import type { BoundedReport } from '../../gateway/operations/insight/report.ts';
import type { RoleDifference } from '../../gateway/operations/insight/role-differences.ts';
import type { SourceInsight } from '../../gateway/operations/insight/sources.ts';

/** Whether what the gateway answers has all that the console's pages read, of the same types. */
type Fits<Answered extends Read, Read> = Answered extends Read ? true : false;

/** Compiled, not run: a change of one side alone is an error of types. */
export type InsightFits = [
  Fits<Page<SourceInsight>, read.Page<read.SourceInsight>>,
  Fits<TypeInsight, read.TypeInsight>,
  Fits<RoleDifference, read.RoleDifference>,
  Fits<MetadataFile, read.MetadataFile>,
  Fits<MetadataFileText, read.MetadataFileText>,
  Fits<BoundedReport, read.MetadataReport>,
  Fits<ChangePreview, read.MetadataPreview>,
  Fits<ShownJob, readJobs.Job>,
  Fits<ShownJobDetails, readJobs.JobDetails>,
  Fits<ShownQueue, readJobs.JobQueue>,
  Fits<ShownDeliveries, readJobs.EventSubscriptions>,
];
