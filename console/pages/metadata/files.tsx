import { useState } from 'preact/hooks';
import { callMetadataApi, type MetadataFileList, type MetadataFileText } from '../../api/index.ts';
import { Button, LoadFailure, Notice, PreformattedText, useLoaded } from '../../parts/index.ts';
import { authorized, role } from '../../session/index.ts';
import { metadata, shell } from '../../texts/index.ts';

const fileTexts = metadata.files;

/** The files of the metadata, read-only. */
export function Files() {
  const [name, setName] = useState<string | undefined>(undefined);
  const { value, error, reload } = useLoaded(
    (signal) =>
      authorized((headers) => callMetadataApi<MetadataFileList>('portico_get_metadata_files', {}, { headers, signal })),
    [role.value],
  );
  if (error !== undefined) return <LoadFailure error={error} reload={reload} />;
  if (!value) return <p class="loading dim">{shell.loading}</p>;
  return (
    <>
      <p class="dim small">{fileTexts.note}</p>
      <div class="files">
        <ul class="lines" aria-label={fileTexts.list}>
          {value.files.map((file) => (
            <li key={file.name}>
              <Button kind="quiet" aria-pressed={file.name === name} onClick={() => setName(file.name)}>
                {file.name}
              </Button>{' '}
              <span class="dim small">{fileTexts.bytes(file.bytes)}</span>
            </li>
          ))}
        </ul>
        {name === undefined ? <p class="dim">{fileTexts.pick}</p> : <FileText key={name} name={name} />}
      </div>
    </>
  );
}

function FileText({ name }: { readonly name: string }) {
  const { value, error, reload } = useLoaded(
    (signal) =>
      authorized((headers) =>
        callMetadataApi<MetadataFileText>('portico_get_metadata_file', { name }, { headers, signal }),
      ),
    [role.value, name],
  );
  if (error !== undefined) return <LoadFailure error={error} reload={reload} />;
  if (!value) return <p class="loading dim">{shell.loading}</p>;
  if (value.text === null) return <Notice kind="bad">{fileTexts.unreadable}</Notice>;
  return (
    <div>
      <PreformattedText>{value.text}</PreformattedText>
      {value.truncated && <p class="dim">{fileTexts.truncated}</p>}
    </div>
  );
}
