-- Lists come in the order of bytes, as on the embedded store, whatever the language of the server.
ALTER TABLE scratchpads ALTER COLUMN scratch_id TYPE TEXT COLLATE "C";
ALTER TABLE scratchpads ALTER COLUMN namespace TYPE TEXT COLLATE "C";
ALTER TABLE scratchpad_tags ALTER COLUMN tag TYPE TEXT COLLATE "C";
ALTER TABLE namespaces ALTER COLUMN namespace TYPE TEXT COLLATE "C";

-- The second wall, as for every table of a tenant.
DO $$
DECLARE name TEXT;
BEGIN
    FOREACH name IN ARRAY ARRAY['scratchpads', 'cells', 'cell_texts', 'scratchpad_tags', 'scratchpad_schemas',
                                'namespaces', 'search_scopes']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_tenant ON %I USING (current_setting(''longtable.tenant'', true) IN (tenant, ''*''))',
            name);
    END LOOP;
END $$;
