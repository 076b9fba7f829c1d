-- The second wall, as for every table of a tenant.
DO $$
DECLARE name TEXT;
BEGIN
    FOREACH name IN ARRAY ARRAY['decisions', 'tool_pins', 'rate_buckets', 'intents', 'intent_calls', 'gateway_runs',
                                'workspaces', 'gateway_overlays']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_tenant ON %I USING (current_setting(''longtable.tenant'', true) IN (tenant, ''*''))',
            name);
    END LOOP;
END $$;
