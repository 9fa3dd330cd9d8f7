export function fieldKey(parameter) {
  return `${parameter.in}:${parameter.name}`;
}

export function isListParameter(parameter) {
  return parameter.schema?.type === 'array';
}

export function urlOf(template, parameters, values) {
  const query = [];
  let path = template;
  for (const parameter of parameters) {
    const text = values[fieldKey(parameter)] ?? '';
    const items = (isListParameter(parameter) ? text.split('\n') : [text])
      .filter((item) => item !== '')
      .map(encodeURIComponent);
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, () => items.join(','));
    else query.push(...items.map((item) => `${encodeURIComponent(parameter.name)}=${item}`));
  }
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

export function headersOf({ token, role }, hasBody) {
  return {
    accept: 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
    ...(role && { 'x-hasura-role': role }),
    ...(hasBody && { 'content-type': 'application/json' }),
  };
}
